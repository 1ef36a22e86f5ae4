internal import CCurl

/// One libcurl multi handle, with a bounded number of connections and the requests that they carry.
@safe final class Shard {
    let index: Int
    private(set) var inFlight = 0
    /// The time at which libcurl must be called although nothing is readable.
    private(set) var timerAt = MonotonicTime.never
    /// The time at which the connections of a shard without requests have been idle for long enough to be
    /// closed.
    private(set) var retiresAt = MonotonicTime.never

    private var multi: UnsafeMutableRawPointer?
    private let sockets: SocketTable
    private let connectionLimit: Int
    private let idleLifetime: Duration

    init(index: Int, settings: HTTPClientSettings, sockets: SocketTable) {
        unsafe self.multi = nil
        self.index = index
        self.sockets = sockets
        self.connectionLimit = settings.connectionsPerShard
        self.idleLifetime = settings.idleConnectionLifetime
    }

    deinit { self.retire() }

    var hasRoom: Bool { self.inFlight < self.connectionLimit }
    var wakesAt: MonotonicTime { min(self.timerAt, self.retiresAt) }

    func add(_ transfer: Transfer) throws(TransferError) {
        guard
            let multi = unsafe self.multi ?? self.makeMulti(),
            unsafe curl_multi_add_handle(multi, transfer.easy) == CURLM_OK
        else {
            throw .refused("libcurl takes no more requests")
        }
        unsafe self.multi = multi
        self.inFlight += 1
        self.retiresAt = .never
        transfer.shard = self.index
    }

    /// Takes a transfer from libcurl, whether it has finished or not. libcurl closes the connection of one
    /// that has not finished.
    func remove(_ transfer: Transfer, at now: MonotonicTime) {
        unsafe curl_multi_remove_handle(self.multi, transfer.easy)
        transfer.shard = -1
        self.inFlight -= 1
        if self.inFlight == 0 {
            self.retiresAt = now.advanced(by: self.idleLifetime)
        }
    }

    func socketReady(_ socket: Int32, readiness: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(self.multi, socket, readiness, &running)
    }

    func timeReached(_ now: MonotonicTime) {
        if self.timerAt <= now {
            self.timerAt = .never
            var running: Int32 = 0
            unsafe curl_multi_socket_action(self.multi, CURL_SOCKET_TIMEOUT, 0, &running)
        }
        if self.retiresAt <= now && self.inFlight == 0 {
            self.retire()
        }
    }

    /// Returns a transfer that libcurl has finished, or nil. The caller must remove it.
    func nextFinished() -> (Transfer, CURLcode)? {
        var queued: Int32 = 0
        while let message = unsafe curl_multi_info_read(self.multi, &queued) {
            guard
                unsafe message.pointee.msg == CURLMSG_DONE,
                let this = unsafe ccurl_get_private(message.pointee.easy_handle)
            else { continue }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(this).takeUnretainedValue()
            return unsafe (transfer, ccurl_message_result(message))
        }
        return nil
    }

    /// Closes all connections. libcurl closes idle connections only together with their handle.
    func retire() {
        if let multi = unsafe self.multi {
            unsafe curl_multi_cleanup(multi)
        }
        unsafe self.multi = nil
        self.timerAt = .never
        self.retiresAt = .never
    }

    private func makeMulti() -> UnsafeMutableRawPointer? {
        guard let multi = unsafe curl_multi_init() else { return nil }
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        let codes = unsafe [
            ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, self.connectionLimit),
            ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, self.connectionLimit),
            ccurl_multi_set_socket_watcher(
                multi,
                { _, socket, what, context, _ in
                    guard let context = unsafe context else { return 0 }
                    let shard = unsafe Unmanaged<Shard>.fromOpaque(context).takeUnretainedValue()
                    shard.sockets.interestChanged(in: socket, to: what, shard: shard.index)
                    return 0
                },
                this
            ),
            ccurl_multi_set_timer(
                multi,
                { _, milliseconds, context in
                    guard let context = unsafe context else { return 0 }
                    unsafe Unmanaged<Shard>.fromOpaque(context).takeUnretainedValue()
                        .timerChanged(milliseconds)
                    return 0
                },
                this
            ),
        ]
        guard codes.allSatisfy({ $0 == CURLM_OK }) else {
            unsafe curl_multi_cleanup(multi)
            return nil
        }
        return unsafe multi
    }

    private func timerChanged(_ milliseconds: Int) {
        switch milliseconds {
        case ..<0: self.timerAt = .never
        case 0: self.timerAt = .zero
        default: self.timerAt = MonotonicTime.now().advanced(by: .milliseconds(milliseconds))
        }
    }
}
