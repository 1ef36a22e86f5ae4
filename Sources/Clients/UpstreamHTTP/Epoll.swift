internal import CCurl
internal import Glibc

/// The kernel's list of sockets to watch (epoll). Each event carries the key that was given with its socket.
@safe struct Epoll: ~Copyable {
    /// The states of a socket that can be watched for and reported.
    struct Readiness: OptionSet {
        let rawValue: UInt32

        static let reading = Readiness(rawValue: EPOLLIN.rawValue)
        static let writing = Readiness(rawValue: EPOLLOUT.rawValue)
        static let error = Readiness(rawValue: EPOLLERR.rawValue)
        static let hangup = Readiness(rawValue: EPOLLHUP.rawValue)
    }

    private static let eventsAtOnce = 256

    let descriptor: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// Opens the list. `descriptor` is negative if the process may open no more descriptors.
    init() {
        self.descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        unsafe self.events = .allocate(capacity: Self.eventsAtOnce)
        unsafe self.events.initialize(repeating: epoll_event())
    }

    deinit {
        if self.descriptor >= 0 { _ = Glibc.close(self.descriptor) }
        unsafe self.events.deallocate()
    }

    /// Returns how many sockets are ready, 256 at most. Never waits.
    func poll() -> Int {
        unsafe max(0, Int(epoll_wait(self.descriptor, self.events.baseAddress, Int32(Self.eventsAtOnce), 0)))
    }

    /// Returns one of the events that the last `poll` counted, by its index.
    func event(_ index: Int) -> (key: UInt64, readiness: Readiness) {
        unsafe precondition(self.events.indices.contains(index), "not an event of this poll: \(index)")
        let event = unsafe self.events[index]
        return unsafe (event.data.u64, Readiness(rawValue: event.events))
    }

    /// Watches a socket. Returns false if the kernel refuses.
    func add(_ socket: Int32, for readiness: Readiness, key: UInt64) -> Bool {
        self.control(EPOLL_CTL_ADD, socket, for: readiness, key: key)
    }

    func change(_ socket: Int32, to readiness: Readiness, key: UInt64) -> Bool {
        self.control(EPOLL_CTL_MOD, socket, for: readiness, key: key)
    }

    func remove(_ socket: Int32) {
        _ = self.control(EPOLL_CTL_DEL, socket, for: [], key: 0)
    }

    private func control(_ verb: Int32, _ socket: Int32, for readiness: Readiness, key: UInt64) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = readiness.rawValue
        unsafe event.data.u64 = key
        return unsafe epoll_ctl(self.descriptor, verb, socket, &event) == 0
    }
}
