package import UpstreamHTTP

/// An upstream in front of another one: it joins parts into requests, and passes whole requests on.
///
/// The engine keeps one call for each record, with an outcome of its own. How records share requests is known
/// here only.
package final class BatchingUpstream<U: Upstream> {
    private let upstream: U
    private var queue = BatchQueue()
    /// The most batches in flight.
    private let batchesLimit: Int
    /// The first half of all nonces of this object, which tells them from those of others.
    private let nonceStart: UInt64
    private var lastBatch: UInt64 = 0
    /// The completions of parts that are to be passed on by the next `serve`.
    private var ready: [BatchQueue.Completion] = []

    /// The bit by which the ids of batches differ from those of records, whose lower half is an index.
    private static var batchBit: UInt64 { 1 << 31 }

    /// - Parameters:
    ///   - batchesLimit: the most batches in flight, beside the requests that are passed on.
    ///   - nonceStart: a random number.
    package init(_ upstream: U, batchesLimit: Int, nonceStart: UInt64) {
        self.upstream = upstream
        self.batchesLimit = batchesLimit
        self.nonceStart = nonceStart
    }

    /// Sends a request of its own. Its completion comes through `serve` with this id, whose bit 31 is not
    /// set.
    package func start(_ request: HTTPRequest, id: UInt64) { self.upstream.start(request, id: id) }

    /// Ends a request that is on its way. A part shares its request with others and goes on.
    package func cutShort(_ id: UInt64) { self.upstream.cutShort(id) }

    /// Takes in a part, which the next `serve` sends if it may. Its completion comes through `serve` with this
    /// id.
    ///
    /// - Parameter failures: How often calls for the part's record have failed while others succeeded.
    package func start(_ part: BatchPart, id: UInt64, failures: Int = 0) {
        self.queue.add(part, id: id, failures: failures)
    }

    /// Drops every part that is not in flight. The next `serve` hands over their completions, as calls that
    /// were not sent.
    ///
    /// An engine that gives its partitions up calls this: the next owner makes the calls for their records.
    package func dropUnsent() { self.ready += self.queue.dropUnsent() }

    /// Sends what may be sent, and hands over the completions since the last call, a few at a time.
    ///
    /// - Parameter now: wall-clock milliseconds since 1970.
    /// - Returns: Whether there are more, so that the next call is due at once.
    package func serve(
        at now: Int64,
        _ completed: (UInt64, Result<HTTPResponse, TransferError>) -> Void
    ) -> Bool {
        while self.maySend { self.sendNext(at: now) }
        let isMore = self.upstream.serve { id, result in
            if id & Self.batchBit == 0 {
                completed(id, result)
            } else {
                self.ready += self.queue.completed(id, result)
            }
        }
        var ready: [BatchQueue.Completion] = []
        swap(&ready, &self.ready)
        for (id, result) in ready { completed(id, result) }
        return isMore
    }

    /// The bytes of the requests that are in flight, of their answers, and of all parts.
    package var bytesInHand: Int { self.upstream.bytesInHand + self.queue.bytes }

    /// The time from now until `serve` must be called even if nothing arrives; nil if there is none.
    package var nextDeadline: Duration? {
        self.maySend || !self.ready.isEmpty ? .zero : self.upstream.nextDeadline
    }

    /// The number of calls that the other upstream cannot see, because they wait, share a request, or have ended
    /// without one that is passed on yet.
    package var unseenCalls: Int { self.queue.partCount - self.queue.batchesOut + self.ready.count }

    private var maySend: Bool { self.queue.canSend && self.queue.batchesOut < self.batchesLimit }

    private func sendNext(at now: Int64) {
        self.lastBatch += 1
        let id = self.lastBatch << 32 | Self.batchBit
        guard let batch = self.queue.next(as: id) else { return }
        guard !batch.template.isReady else {
            let nonce = Self.hexadecimal(self.nonceStart) + Self.hexadecimal(self.lastBatch)
            let request = batch.template.request(of: batch.elements, at: now, nonce: nonce)
            return self.upstream.start(request, id: id)
        }
        self.ready += self.queue.completed(id, .failure(.notReady))
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
