internal import CCurl
internal import Glibc

/// The sockets of all shards, watched by one epoll instance.
///
/// libcurl stops watching a connection after every answer and starts again with the next request. Passed on
/// to the kernel, these would be two system calls that change nothing. Here a connection stays registered for
/// reading while it is kept, and is removed only if it becomes readable during that time, which means that
/// the server has closed it. This is safe because two callbacks of this table open and close all connections:
/// when the kernel forgets a descriptor, the table forgets it too.
@safe final class SocketTable {
    struct Event {
        var socket: Int32
        var shard: Int
        /// The bits CURL_CSELECT_IN, CURL_CSELECT_OUT and CURL_CSELECT_ERR.
        var readiness: Int32
    }

    private struct Watch {
        var shard: Int32 = -1
        /// The states for which epoll watches the socket. If empty, the socket is not registered.
        var registered: Epoll.Readiness = []
        /// The states of which libcurl asked to be told.
        var wanted: Epoll.Readiness = []
        /// Whether `open` opened the socket, so that `close` will be called for it.
        var isConnection = false
    }

    private let epoll: Epoll
    private var watches: [Watch] = []

    /// Makes an empty table. Nil if the process may open no more descriptors.
    init?() {
        self.epoll = Epoll()
        if self.epoll.descriptor < 0 { return nil }
    }

    /// The descriptor to wait on, readable while any watched socket is ready.
    var descriptor: Int32 { self.epoll.descriptor }

    /// Returns how many sockets are ready. Never waits.
    func poll() -> Int { self.epoll.poll() }

    /// Returns one of the sockets that `poll` counted, or nil if libcurl no longer asks to be told of it.
    func event(_ index: Int) -> Event? {
        let (key, readiness) = self.epoll.event(index)
        let socket = Int32(truncatingIfNeeded: key)
        let shard = Int32(truncatingIfNeeded: key >> 32)
        var watch = self[socket]
        guard watch.shard == shard, !watch.registered.isEmpty else { return nil }
        guard !watch.wanted.isEmpty else {
            watch.registered = []
            self[socket] = watch
            self.epoll.remove(socket)
            return nil
        }
        var bits: Int32 = 0
        if !readiness.isDisjoint(with: [.reading, .hangup]) { bits |= CURL_CSELECT_IN }
        if readiness.contains(.writing) { bits |= CURL_CSELECT_OUT }
        if readiness.contains(.error) { bits |= CURL_CSELECT_ERR }
        return Event(socket: socket, shard: Int(shard), readiness: bits)
    }

    /// Notes that libcurl asks to be told of other states than before.
    ///
    /// - Parameter what: CURL_POLL_IN, CURL_POLL_OUT, CURL_POLL_INOUT or CURL_POLL_REMOVE.
    func interestChanged(in socket: Int32, to what: Int32, shard: Int) {
        var watch = self[socket]
        switch what {
        case CURL_POLL_IN: watch.wanted = .reading
        case CURL_POLL_OUT: watch.wanted = .writing
        case CURL_POLL_INOUT: watch.wanted = [.reading, .writing]
        default: watch.wanted = []
        }
        if watch.wanted.isEmpty {
            let stays = watch.isConnection && watch.registered == .reading
            if !watch.registered.isEmpty && !stays {
                self.epoll.remove(socket)
                watch.registered = []
            }
        } else if watch.registered != watch.wanted || watch.shard != Int32(shard) {
            watch.shard = Int32(shard)
            watch.registered = self.register(socket, watch) ? watch.wanted : []
        }
        self[socket] = watch
    }

    /// Registers a socket or changes its registration. Returns false if the kernel refuses; the transfer then
    /// ends by its timeout.
    private func register(_ socket: Int32, _ watch: Watch) -> Bool {
        let key = UInt64(UInt32(bitPattern: watch.shard)) << 32 | UInt64(UInt32(bitPattern: socket))
        if watch.registered.isEmpty {
            return self.epoll.add(socket, for: watch.wanted, key: key)
                || self.epoll.change(socket, to: watch.wanted, key: key)
        }
        return self.epoll.change(socket, to: watch.wanted, key: key)
            || self.epoll.add(socket, for: watch.wanted, key: key)
    }

    private subscript(socket: Int32) -> Watch {
        get { self.watches.indices.contains(Int(socket)) ? self.watches[Int(socket)] : Watch() }
        set {
            guard socket >= 0 else { return }
            while self.watches.count <= Int(socket) { self.watches.append(Watch()) }
            self.watches[Int(socket)] = newValue
        }
    }
}

extension SocketTable {
    /// Makes libcurl close the connections of a handle through this table. A transfer opens them through it.
    func setCallbacks(on easy: UnsafeMutableRawPointer) -> [CURLcode] {
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe [
            ccurl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, this),
            ccurl_set_close_socket(easy) { context, socket in
                guard let context = unsafe context else { return Glibc.close(socket) }
                return unsafe Unmanaged<SocketTable>.fromOpaque(context).takeUnretainedValue().close(socket)
            },
        ]
    }

    /// Opens a socket for a connection.
    func open(_ family: Int32, _ type: Int32, protocol protocolNumber: Int32) -> Int32 {
        let socket = Glibc.socket(family, type | Int32(SOCK_CLOEXEC.rawValue), protocolNumber)
        self[socket] = Watch(isConnection: true)
        return socket
    }

    /// Forgets a socket and closes it. The kernel removes a closed socket from epoll by itself.
    private func close(_ socket: Int32) -> Int32 {
        self[socket] = Watch()
        return Glibc.close(socket)
    }
}
