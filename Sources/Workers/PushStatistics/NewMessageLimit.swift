import ServiceKit
import WireFormats

/// The limit of messages of an app that may begin with the report of a single device.
///
/// Anybody who has the app can invent message ids, and each of them is remembered for days. An honest message
/// has a `sent` event, which no device publishes, or soon a report from a second device. The caller does not
/// apply this limit to a message that begins with a `sent` event, and a message that a second device reports
/// is admitted at ten times the rate. All other messages of an app share one rate, and none of them may begin
/// while memory is short.
struct NewMessageLimit {
    /// A token bucket.
    private struct Bucket {
        /// The messages that may begin at once, in thousandths of a message.
        var credit: Int64
        /// The time of the last `take`, in milliseconds since 1970.
        var at: Int64

        /// Takes one message out of the bucket; false if the bucket does not hold a whole one.
        mutating func take(rate: Int64, _ now: Int64) -> Bool {
            // If the clock is set back, the bucket gets no credit. If the clock leaps ahead, the bucket gets
            // its full credit at most.
            let elapsed = min(max(0, now.subtractingClamped(self.at)), NewMessageLimit.burst * 1_000)
            self.at = now
            self.credit = min(self.credit + elapsed * rate, rate * NewMessageLimit.burst * 1_000)
            guard self.credit >= 1_000 else { return false }
            self.credit -= 1_000
            return true
        }
    }

    private let rate: Int64
    /// The buckets of messages that one device has reported, by app. The empty name is the bucket that all
    /// apps beyond `appsLimit` share.
    private var buckets: [String: Bucket] = [:]
    /// The buckets of messages that a second device has reported, by app.
    private var proven: [String: Bucket] = [:]
    /// The device that first reported each refused message, by the hash of the message.
    private var refused: [Int: UInt64] = [:]

    /// The capacity of a bucket, in seconds of its rate: so much may begin at once after a quiet time.
    private static let burst: Int64 = 100
    /// The rate of messages that a second device has reported, as a multiple of `rate`.
    private static let provenFactor: Int64 = 10
    /// The number of apps with a bucket of their own. Devices can invent names of apps, too; all further apps
    /// share one bucket.
    private static let appsLimit = 64
    /// The number of refused messages at which all of them are forgotten.
    private static let refusedLimit = 8_192

    /// Creates a limit with full buckets.
    ///
    /// - Parameter rate: the messages per second of one app, at least 1.
    init(rate: Int) { self.rate = Int64(max(1, rate)) }

    /// The approximate size of the limit in memory, in bytes.
    var byteCount: Int { (self.buckets.count + self.proven.count) * 100 + self.refused.count * 24 }

    /// Returns whether an unknown message may begin, and takes it from the rate of its app.
    ///
    /// - Parameters:
    ///   - key: the unknown message.
    ///   - device: a number that identifies the reporting device; nil if the event names no device.
    ///   - isCrowded: whether memory is short.
    ///   - now: the time of this machine, in milliseconds since 1970.
    mutating func admits(_ key: CohortKey, device: UInt64?, isCrowded: Bool, at now: Int64) -> Bool {
        if !isCrowded {
            let app = Self.name(key.appBundle, in: self.buckets)
            var bucket = self.buckets[app] ?? self.full(1, now)
            defer { self.buckets[app] = bucket }
            if bucket.take(rate: self.rate, now) { return true }
        }
        guard let device else { return false }
        let hash = key.hashValue
        if let other = self.refused[hash], other != device {
            let app = Self.name(key.appBundle, in: self.proven)
            var bucket = self.proven[app] ?? self.full(Self.provenFactor, now)
            defer { self.proven[app] = bucket }
            if bucket.take(rate: self.rate * Self.provenFactor, now) {
                self.refused[hash] = nil
                return true
            }
        }
        // A refused message that is forgotten here needs a report from one device more.
        if self.refused.count >= Self.refusedLimit { self.refused.removeAll(keepingCapacity: true) }
        if self.refused[hash] == nil { self.refused[hash] = device }
        return false
    }

    /// The name under which an app has its bucket: the empty name if the app has none, and there are as many as there
    /// may be.
    private static func name(_ app: String, in buckets: [String: Bucket]) -> String {
        buckets[app] != nil || buckets.count < self.appsLimit ? app : ""
    }

    private func full(_ factor: Int64, _ now: Int64) -> Bucket {
        Bucket(credit: self.rate * factor * Self.burst * 1_000, at: now)
    }
}
