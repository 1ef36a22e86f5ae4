internal import NIOCore

/// Timers on the broker's event loop, and so never at the same time as a request.
final class Timers {
    private let loop: any EventLoop

    init(on loop: any EventLoop) { self.loop = loop }

    func after(_ delay: Duration, _ act: @escaping () -> Void) -> Timer {
        Timer(self.loop.assumeIsolated().scheduleTask(in: TimeAmount(delay), act))
    }

    /// Runs `act` when what runs now has come to its end.
    func next(_ act: @escaping () -> Void) { self.loop.assumeIsolated().execute(act) }
}

/// A timer that runs once, unless it is cancelled before.
final class Timer {
    private let scheduled: Scheduled<Void>

    init(_ scheduled: Scheduled<Void>) { self.scheduled = scheduled }

    func cancel() { self.scheduled.cancel() }
}
