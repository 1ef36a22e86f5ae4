internal import NIOCore

/// Timers on the broker's event loop. Their closures never run concurrently with a request.
final class Timers {
    private let loop: any EventLoop

    init(on loop: any EventLoop) { self.loop = loop }

    /// Runs `act` once, after this delay. The timer keeps running if the returned value is released.
    func after(_ delay: Duration, _ act: @escaping () -> Void) -> Timer {
        Timer(self.loop.assumeIsolated().scheduleTask(in: TimeAmount(delay), act))
    }

    /// Runs `act` on the event loop after the current turn.
    func next(_ act: @escaping () -> Void) { self.loop.assumeIsolated().execute(act) }
}

/// A timer that fires once, unless it is cancelled before.
final class Timer {
    private let scheduled: Scheduled<Void>

    init(_ scheduled: Scheduled<Void>) { self.scheduled = scheduled }

    func cancel() { self.scheduled.cancel() }
}
