internal import CCurl
internal import Glibc

/// The kernel's list of sockets to watch. A key comes back with every event of the socket it was given for.
@safe struct Epoll: ~Copyable {
    /// What may be asked for, and what may have happened.
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

    /// The descriptor is negative if the process may open no more of them.
    init() {
        self.descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        unsafe self.events = .allocate(capacity: Self.eventsAtOnce)
        unsafe self.events.initialize(repeating: epoll_event())
    }

    deinit {
        if self.descriptor >= 0 { _ = Glibc.close(self.descriptor) }
        unsafe self.events.deallocate()
    }

    /// How many sockets are ready, a few hundred at most. Never waits.
    func poll() -> Int {
        unsafe max(0, Int(epoll_wait(self.descriptor, self.events.baseAddress, Int32(Self.eventsAtOnce), 0)))
    }

    /// One of those that `poll` counted.
    func event(_ index: Int) -> (key: UInt64, readiness: Readiness) {
        unsafe precondition(self.events.indices.contains(index), "not an event of this poll: \(index)")
        let event = unsafe self.events[index]
        return unsafe (event.data.u64, Readiness(rawValue: event.events))
    }

    /// False if the kernel refuses.
    func add(_ socket: Int32, for readiness: Readiness, key: UInt64) -> Bool {
        self.control(EPOLL_CTL_ADD, socket, readiness, key)
    }

    func change(_ socket: Int32, to readiness: Readiness, key: UInt64) -> Bool {
        self.control(EPOLL_CTL_MOD, socket, readiness, key)
    }

    func remove(_ socket: Int32) {
        _ = self.control(EPOLL_CTL_DEL, socket, [], 0)
    }

    private func control(_ verb: Int32, _ socket: Int32, _ readiness: Readiness, _ key: UInt64) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = readiness.rawValue
        unsafe event.data.u64 = key
        return unsafe epoll_ctl(self.descriptor, verb, socket, &event) == 0
    }
}
