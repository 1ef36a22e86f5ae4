internal import Foundation

/// Unix milliseconds that never step back: read once from the system, then counted on.
struct WallClock: Sendable {
    private let origin = ContinuousClock.now
    private let millisecondsAtOrigin = Int64(Date().timeIntervalSince1970 * 1000)

    func now() -> Int64 {
        let passed = (ContinuousClock.now - self.origin).components
        return self.millisecondsAtOrigin + passed.seconds * 1000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
