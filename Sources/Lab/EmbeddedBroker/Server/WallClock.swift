internal import Foundation

/// A clock of Unix milliseconds that never steps back: it reads the system's clock once and then adds
/// monotonic time. It can differ from the system's clock, as that of another machine can.
struct WallClock: Sendable {
    private let origin = ContinuousClock.now
    private let millisecondsAtOrigin: Int64

    /// - Parameter lead: the time by which the clock is ahead of the system's; negative if it is behind.
    init(aheadBy lead: Duration) {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        self.millisecondsAtOrigin = now + Int64(lead / .milliseconds(1))
    }

    func now() -> Int64 {
        let passed = (ContinuousClock.now - self.origin).components
        return self.millisecondsAtOrigin + passed.seconds * 1000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
