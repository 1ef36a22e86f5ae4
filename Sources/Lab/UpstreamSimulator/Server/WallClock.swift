internal import Foundation

/// A clock of Unix milliseconds that never steps back: it reads the system's clock once and then adds
/// monotonic time.
struct WallClock: Sendable {
    private let origin = ContinuousClock.now
    private let millisecondsAtOrigin = Int64(Date().timeIntervalSince1970 * 1000)

    func now() -> Int64 {
        let passed = (ContinuousClock.now - self.origin).components
        return self.millisecondsAtOrigin + passed.seconds * 1000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
