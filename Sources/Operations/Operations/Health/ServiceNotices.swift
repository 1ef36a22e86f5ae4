import Synchronization

/// Tells the service manager that started this process, such as systemd, how the process is.
///
/// A notice goes out when the readiness changes, and in a turn of the engine once an interval has passed. There
/// is no timer: an engine that does not turn sends no sign of life, and the watchdog of the manager ends it.
package final class ServiceNotices: Sendable {
    /// A service manager that cannot be told anything. Its description names the variable.
    package struct Unusable: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        /// The readiness that the manager has not heard of yet; nil if there is none.
        var untold: Health.Readiness?
        /// Whether the manager has been asked to count this process as started.
        var isStarted = false
    }

    /// The time between two signs of life without a watchdog, and before a manager counts this process as
    /// started, in milliseconds.
    private static let usualInterval: Int64 = 10_000
    /// The time that a start may take from its last sign of life on.
    private static let startExtension = "EXTEND_TIMEOUT_USEC=30000000"
    /// The time after which a message that could not be sent is sent again, in milliseconds.
    private static let retryInterval: Int64 = 100
    private static let longestStatus = 512

    private let socket: NotifySocket
    private let hasWatchdog: Bool
    private let interval: Int64
    /// The uptime of the next sign of life, in milliseconds.
    private let nextSign = Atomic<Int64>(.min)
    private let state = Mutex(State())

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`, as the manager sets them.
    ///
    /// - Parameters:
    ///   - process: The id of this process. A watchdog that is meant for another process is none.
    /// - Returns: nil without `NOTIFY_SOCKET`. Nothing happens then.
    /// - Throws: `Unusable` if the socket is of a kind that this process does not know.
    package convenience init?(environment: [String: String], process: Int32) throws(Unusable) {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let watchdog = isForUs ? environment["WATCHDOG_USEC"].flatMap { Int64($0) } : nil
        do {
            self.init(
                try NotifySocket(name),
                watchdog: watchdog.flatMap { $0 > 0 ? .microseconds($0) : nil }
            )
        } catch {
            throw Unusable(description: "NOTIFY_SOCKET cannot be used: \(error)")
        }
    }

    init(_ socket: consuming NotifySocket, watchdog: Duration?) {
        self.socket = socket
        self.hasWatchdog = watchdog != nil
        // Half of the watchdog's time, as sd_watchdog_enabled(3) recommends.
        let half = watchdog.map { max(1, Health.milliseconds($0) / 2) }
        self.interval = min(half ?? Self.usualInterval, Self.usualInterval)
    }

    /// Notes a new readiness. `Health` calls it in the order of the changes.
    func became(_ readiness: Health.Readiness) {
        self.state.withLock { state in
            state.untold = readiness
            if !self.tellReadiness(&state) { self.nextSign.store(.min, ordering: .relaxed) }
        }
    }

    /// Notes a turn of the engine.
    ///
    /// - Parameter now: The uptime in milliseconds.
    func turned(at now: Int64) {
        let due = self.nextSign.load(ordering: .relaxed)
        guard now >= due else { return }
        let next = now + self.interval
        // One of the threads that turn at this moment sends the sign.
        guard self.nextSign.compareExchange(expected: due, desired: next, ordering: .relaxed).exchanged else {
            return
        }
        let isTold = self.state.withLock { state in
            guard self.tellReadiness(&state) else { return false }
            if !state.isStarted { return self.socket.send(Self.startExtension) }
            return !self.hasWatchdog || self.socket.send("WATCHDOG=1")
        }
        if !isTold { self.nextSign.store(now + Self.retryInterval, ordering: .relaxed) }
    }

    /// Tells a readiness that the manager has not heard of.
    ///
    /// - Returns: Whether the manager has heard of everything.
    private func tellReadiness(_ state: inout State) -> Bool {
        guard let readiness = state.untold else { return true }
        let starts = readiness == .ready && !state.isStarted
        guard self.socket.send((starts ? "READY=1\n" : "") + Self.notice(of: readiness)) else { return false }
        state.isStarted = state.isStarted || starts
        state.untold = nil
        return true
    }

    private static func notice(of readiness: Health.Readiness) -> String {
        switch readiness {
        case .starting: "STATUS=starting"
        case .ready: "STATUS=ready"
        case .notReady(let reason): "STATUS=not ready: \(Self.line(reason))"
        case .draining: "STOPPING=1\nSTATUS=draining"
        }
    }

    /// Returns a text as a part of a line: a line break would begin another assignment.
    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(Self.longestStatus).map { $0.value < 32 ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
