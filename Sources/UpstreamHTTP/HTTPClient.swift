internal import CCurl

/// HTTP over libcurl for one thread that waits for more than HTTP: nothing here blocks, and nothing here
/// waits. The owner polls `descriptor` among its own, for at most `timeoutMilliseconds`, and calls `serve`.
///
/// Every request that was started is completed exactly once, by a later `serve`. After `close`, none is.
///
/// Requests are spread over shards, each a libcurl handle with a bounded number of connections, because the
/// cost of a request grows with the connections of its handle. The lowest shard with room is taken, so that
/// few connections stay warm.
package final class HTTPClient {
    package typealias Completion = (UInt64, Result<HTTPResponse, TransferError>) -> Void

    /// Readable when `serve` has something to do. Closed by `deinit`, not before.
    package var descriptor: Int32 { self.sockets.descriptor }
    /// How many requests are started and not completed.
    package var inFlight: Int { self.underWay + self.ended.count }

    private let settings: HTTPClientSettings
    private let sockets: SocketTable
    private let share: SharedCaches
    private var shards: [Shard] = []
    /// No shard below this one has room.
    private var lowestRoom = 0
    private var transfers: [Transfer] = []
    private var idle: [Transfer] = []
    private var underWay = 0
    private let meter = ByteMeter()
    /// Bytes of the bodies that are on their way, and of what has been received of answers.
    package var bytesInHand: Int { self.meter.bytes }
    /// Refused without asking libcurl. Delivered by the next `serve`.
    private var ended: [(id: UInt64, error: TransferError)] = []
    private var isClosed = false
    /// The sockets of the last poll that have not been read yet.
    private var readable = 0..<0
    /// Connections read in one `serve`. See there for why few are better, as long as there is time.
    private var readAtOnce: Int { self.isBusy ? 256 : 4 }
    /// Whether the owner's thread has no time to spare. Then more is read at once, which costs less.
    package var isBusy = false

    /// Throws if the settings make no sense, the certificate authority file cannot be read, or the process
    /// has no descriptor left.
    package init(_ settings: HTTPClientSettings) throws(TransferError) {
        if let flaw = settings.flaw {
            throw .refused(flaw)
        }
        if let file = settings.certificateAuthorityFile, !SharedCaches.canRead(file) {
            throw TransferError(
                kind: .tls,
                mayHaveBeenSent: false,
                message: "the certificate authority file cannot be read"
            )
        }
        guard let sockets = SocketTable(), let share = SharedCaches() else {
            throw .refused("no descriptor or no memory for an HTTP client")
        }
        self.settings = settings
        self.sockets = sockets
        self.share = share
    }

    deinit { self.close() }

    /// When `serve` must be called though nothing is readable, in the words of poll(): -1 for never.
    package var timeoutMilliseconds: Int32 {
        guard self.ended.isEmpty, self.readable.isEmpty else { return 0 }
        var earliest = Moment.never
        for shard in self.shards {
            earliest = min(earliest, shard.wakesAt)
        }
        return earliest == .zero ? 0 : earliest.milliseconds(from: .now())
    }

    /// Takes a request on. Nothing is sent before `serve` is called. A request that cannot be sent, or is
    /// one more than `connectionLimit`, is completed as a failure like any other.
    ///
    /// - Parameter id: the caller's name for the exchange, used by no other in flight.
    package func start(_ request: HTTPRequest, id: UInt64) {
        if let reason = self.refusal ?? request.refusal {
            self.ended.append((id, .refused(reason)))
            return
        }
        guard let transfer = self.idle.popLast() ?? self.makeTransfer() else {
            self.ended.append((id, .refused("no memory for a request")))
            return
        }
        do {
            try transfer.prepare(request, id: id)
            try self.shardWithRoom().add(transfer)
        } catch {
            transfer.reset()
            self.idle.append(transfer)
            self.ended.append((id, error))
            return
        }
        self.underWay += 1
    }

    /// Sends what was started, receives what can be without waiting, and completes what is finished.
    /// `completed` may start requests.
    ///
    /// Unless it is busy, it reads from a few connections at a time. A caller that starts its next requests between two
    /// calls gets them sent while the other answers are still to be read: otherwise requests that were once sent
    /// together stay together, and the upstream idles while this side works, and this side while the upstream does.
    ///
    /// - Returns: whether there is more to read, so that the next call is due at once.
    @discardableResult
    package func serve(_ completed: Completion) -> Bool {
        let now = Moment.now()
        for shard in self.shards where shard.wakesAt <= now { shard.timeReached(now) }
        if self.readable.isEmpty { self.readable = 0..<self.sockets.poll() }
        for index in self.readable.prefix(self.readAtOnce) {
            guard let event = self.sockets.event(index) else { continue }
            let shard = self.shards[event.shard]
            shard.socketReady(event.socket, readiness: event.readiness)
        }
        self.readable = self.readable.dropFirst(self.readAtOnce)
        for shard in self.shards {
            while let (transfer, code) = shard.nextFinished() {
                let id = transfer.id
                let outcome = transfer.outcome(code, keeping: self.settings.keptHeaders)
                self.release(transfer, at: now)
                completed(id, outcome)
            }
        }
        guard !self.ended.isEmpty else { return !self.readable.isEmpty }
        var ended: [(id: UInt64, error: TransferError)] = []
        swap(&ended, &self.ended)
        for (id, error) in ended {
            completed(id, .failure(error))
        }
        return !self.readable.isEmpty
    }

    /// Gives up everything in flight without completing it, and closes all connections. May be called
    /// again, but not by a completion.
    package func close() {
        self.isClosed = true
        for transfer in self.transfers where transfer.shard >= 0 {
            self.release(transfer, at: .zero)
        }
        for shard in self.shards {
            shard.retire()
        }
        // Before the caches that they share, which libcurl does not free while a handle uses them.
        self.idle = []
        self.readable = 0..<0
        self.transfers = []
        self.ended = []
    }

    private var refusal: String? {
        if self.isClosed { return "the client is closed" }
        return self.underWay < self.settings.connectionLimit ? nil : "more requests than connectionLimit"
    }

    private func makeTransfer() -> Transfer? {
        let transfer = unsafe Transfer(
            settings: self.settings,
            sockets: self.sockets,
            share: self.share.handle,
            meter: self.meter
        )
        if let transfer { self.transfers.append(transfer) }
        return transfer
    }

    private func shardWithRoom() -> Shard {
        while self.lowestRoom < self.shards.count {
            let shard = self.shards[self.lowestRoom]
            if shard.hasRoom { return shard }
            self.lowestRoom += 1
        }
        let shard = Shard(index: self.shards.count, settings: self.settings, sockets: self.sockets)
        self.shards.append(shard)
        return shard
    }

    /// The one place where a transfer comes back from a shard.
    private func release(_ transfer: Transfer, at now: Moment) {
        self.lowestRoom = min(self.lowestRoom, transfer.shard)
        self.shards[transfer.shard].remove(transfer, at: now)
        transfer.reset()
        self.idle.append(transfer)
        self.underWay -= 1
    }
}

@available(*, unavailable)
extension HTTPClient: Sendable {}
