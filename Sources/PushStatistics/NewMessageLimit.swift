import WireFormats
import WorkerKit

/// How many messages of an app may begin with the word of a single device.
///
/// Anybody who has the app can invent message ids, and each is remembered for days. An honest message has a `sent`, which
/// no device publishes, or soon a second device: those are asked of nothing, or of ten times the rate. All others share
/// a rate for each app, and begin not at all while memory is short.
struct NewMessageLimit {
    private struct Bucket {
        /// Thousandths of a message.
        var credit: Int64
        var at: Int64

        mutating func take(rate: Int64, _ now: Int64) -> Bool {
            // A clock that was put back gives no credit, and one that leaps no more than there can be.
            let elapsed = min(max(0, now.subtractingClamped(self.at)), NewMessageLimit.burst * 1_000)
            self.at = now
            self.credit = min(self.credit + elapsed * rate, rate * NewMessageLimit.burst * 1_000)
            guard self.credit >= 1_000 else { return false }
            self.credit -= 1_000
            return true
        }
    }

    private let rate: Int64
    private var buckets: [String: Bucket] = [:]
    private var proven: [String: Bucket] = [:]
    /// Messages that were turned away, by their hashes, and the device that told of each.
    private var refused: [Int: UInt64] = [:]

    /// Seconds' worth that may begin at once after a quiet time.
    private static let burst: Int64 = 100
    private static let provenFactor: Int64 = 10
    /// Apps with rates of their own; devices invent their names as well, and all others share one.
    private static let appsLimit = 64
    private static let refusedLimit = 8_192

    /// - Parameter rate: messages a second.
    init(rate: Int) { self.rate = Int64(max(1, rate)) }

    /// What it takes in memory, near enough.
    var byteCount: Int { (self.buckets.count + self.proven.count) * 100 + self.refused.count * 24 }

    /// Whether a message that is not known may begin.
    ///
    /// - Parameters:
    ///   - device: who tells of it; nil if nobody knows.
    ///   - now: milliseconds since 1970.
    mutating func admits(_ key: CohortKey, device: UInt64?, isCrowded: Bool, at now: Int64) -> Bool {
        let app =
            self.buckets[key.appBundle] != nil || self.buckets.count < Self.appsLimit ? key.appBundle : ""
        if !isCrowded {
            var bucket = self.buckets[app] ?? self.full(1, now)
            defer { self.buckets[app] = bucket }
            if bucket.take(rate: self.rate, now) { return true }
        }
        guard let device else { return false }
        let hash = key.hashValue
        if let other = self.refused[hash], other != device {
            var bucket = self.proven[app] ?? self.full(Self.provenFactor, now)
            defer { self.proven[app] = bucket }
            if bucket.take(rate: self.rate * Self.provenFactor, now) {
                self.refused[hash] = nil
                return true
            }
        }
        // Whom this forgets needs one device more.
        if self.refused.count >= Self.refusedLimit { self.refused.removeAll(keepingCapacity: true) }
        if self.refused[hash] == nil { self.refused[hash] = device }
        return false
    }

    private func full(_ factor: Int64, _ now: Int64) -> Bucket {
        Bucket(credit: self.rate * factor * Self.burst * 1_000, at: now)
    }
}
