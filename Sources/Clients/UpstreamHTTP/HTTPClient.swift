internal import CCurl

/// An HTTP client over libcurl for one thread that waits for other things too.
///
/// No call here blocks or waits. The owner watches `descriptor` together with its other descriptors, for at
/// most `timeoutMilliseconds`, and then calls `serve`.
///
/// Every request that was started is completed exactly once, by a later `serve`. After `close`, no request is
/// completed any more.
///
/// Requests are spread over shards. Each shard is a libcurl handle with a bounded number of connections,
/// because the cost of a request grows with the number of connections of its handle. A request goes to the
/// lowest shard with room, so that a few connections stay in use and the others can close.
package final class HTTPClient {
    /// Receives the id of a request and its result.
    package typealias Completion = (UInt64, Result<HTTPResponse, TransferError>) -> Void

    /// The descriptor to wait on, readable when `serve` has something to do. The client closes it when it is
    /// deinitialized, not before.
    package var descriptor: Int32 { self.sockets.descriptor }
    /// The number of requests that were started and are not yet completed.
    package var inFlight: Int { self.underWay + self.ended.count }

    private let settings: HTTPClientSettings
    private let sockets: SocketTable
    private let share: SharedCaches
    private var shards: [Shard] = []
    /// All shards below this index are full.
    private var lowestRoom = 0
    private var transfers: [Transfer] = []
    private var idle: [Transfer] = []
    private var underWay = 0
    private let meter = ByteMeter()
    /// The bytes of the request bodies that are in flight, and of the parts of answers that have been
    /// received.
    package var bytesInHand: Int { self.meter.bytes }
    /// Requests that failed before libcurl was asked. The next `serve` completes them.
    private var ended: [(id: UInt64, error: TransferError)] = []
    private var isClosed = false
    /// The indices of the sockets of the last poll that have not been read yet.
    private var readable = 0..<0
    /// The number of connections that one `serve` reads from. The comment on `serve` says why few are better
    /// as long as the thread has time.
    private var readAtOnce: Int { self.isBusy ? 256 : 4 }
    /// Whether the owner's thread has no time to spare. More connections are then read in one `serve`, which
    /// costs less.
    package var isBusy = false

    /// Makes a client without connections.
    ///
    /// - Throws: an error if the settings cannot work, the file of certificate authorities cannot be read, or
    ///   the process has no descriptor or memory left.
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

    /// The longest time that the owner may wait before it calls `serve` again, although nothing is readable.
    /// As in poll(2), 0 means at once and -1 means without limit.
    package var timeoutMilliseconds: Int32 {
        guard self.ended.isEmpty, self.readable.isEmpty else { return 0 }
        var earliest = MonotonicTime.never
        for shard in self.shards {
            earliest = min(earliest, shard.wakesAt)
        }
        return earliest == .zero ? 0 : earliest.milliseconds(from: .now())
    }

    /// Accepts a request. It is sent only when `serve` is called.
    ///
    /// A request that cannot be sent, or that exceeds `connectionLimit`, is completed as a failure like any
    /// other.
    ///
    /// - Parameter id: the caller's number for the request, different from those of all requests in flight.
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

    /// Ends a request before its answer, and closes its connection, or its stream with HTTP/2. The next `serve`
    /// completes it as a timeout. Nothing happens if there is no such request, or it has been completed.
    package func cutShort(_ id: UInt64) {
        guard let transfer = self.transfers.first(where: { $0.shard >= 0 && $0.id == id }) else { return }
        let error = transfer.timeout
        self.release(transfer, at: .now())
        self.ended.append((id, error))
    }

    /// Sends the requests that were started, receives what has arrived, and completes the requests that have
    /// finished. Never waits.
    ///
    /// Unless `isBusy` is set, one call reads from a few connections only. A caller that starts its next
    /// requests between two calls then gets them sent while other answers are still to be read. Otherwise
    /// requests that were once sent together stay together: the upstream is idle while this side works, and
    /// this side is idle while the upstream works.
    ///
    /// - Parameter completed: receives each result. It may start further requests, but must not call `close`.
    /// - Returns: whether there is more to read, so that the owner must call again at once.
    @discardableResult
    package func serve(_ completed: Completion) -> Bool {
        let now = MonotonicTime.now()
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

    /// Drops all requests in flight without completing them, and closes all connections. May be called again,
    /// but not from within a completion.
    package func close() {
        self.isClosed = true
        for transfer in self.transfers where transfer.shard >= 0 {
            self.release(transfer, at: .zero)
        }
        for shard in self.shards {
            shard.retire()
        }
        // The transfers must go before the caches that they share: libcurl does not free the caches while a
        // handle uses them.
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

    /// Takes a transfer back from its shard. No other code does this.
    private func release(_ transfer: Transfer, at now: MonotonicTime) {
        self.lowestRoom = min(self.lowestRoom, transfer.shard)
        self.shards[transfer.shard].remove(transfer, at: now)
        transfer.reset()
        self.idle.append(transfer)
        self.underWay -= 1
    }
}

@available(*, unavailable)
extension HTTPClient: Sendable {}
