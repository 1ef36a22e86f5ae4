import ServiceKit
import WireFormats

/// The limit of messages of an app that may begin with the report of a single device.
///
/// Anybody who has the app can invent message ids, and each of them is remembered for days. An honest message
/// has a `sent` event, which no device publishes, or soon a report from a second device. The caller does not
/// apply this limit to a `sent` event, and a message that a second device reports is admitted at ten times the
/// rate. All other messages of an app share one rate.
///
/// A device chooses its own id as freely as those of messages, so further devices prove nothing; they only make
/// an invented message cost more requests. While memory is short, a message needs reports from `manyDevices`
/// devices.
struct NewMessageLimit {
    /// The token buckets of all apps. An app without a bucket has as much as with a full one.
    private struct Buckets {
        private struct Bucket {
            /// The messages that may begin at once, in thousandths of a message.
            var credit: Int64
            /// The time of the last `take`, in milliseconds since 1970.
            var at: Int64
        }

        /// The messages per second of one app.
        private let rate: Int64
        /// The buckets by app. The empty name is the bucket that all apps beyond `appsLimit` share.
        private var buckets: [String: Bucket] = [:]

        init(rate: Int64) { self.rate = rate }

        var count: Int { self.buckets.count }

        /// Takes one message out of the bucket of an app; false if the bucket does not hold a whole one.
        mutating func take(for app: String, at now: Int64) -> Bool {
            let name = self.name(of: app, at: now)
            let credit = self.buckets[name].map { self.credit(of: $0, at: now) } ?? self.capacity
            let isEnough = credit >= 1_000
            self.buckets[name] = Bucket(credit: isEnough ? credit - 1_000 : credit, at: now)
            return isEnough
        }

        private var capacity: Int64 { self.rate * NewMessageLimit.burst * 1_000 }

        private func credit(of bucket: Bucket, at now: Int64) -> Int64 {
            // If the clock is set back, the bucket gets no credit. If the clock leaps ahead, the bucket gets
            // its full credit at most.
            let elapsed = min(max(0, now.subtractingClamped(bucket.at)), NewMessageLimit.burst * 1_000)
            return min(bucket.credit + elapsed * self.rate, self.capacity)
        }

        /// Returns the name under which an app has its bucket. If there are as many as there may be, the app gets the
        /// place of one that was not heard of for so long that its bucket is full; if none was, it gets the empty name.
        private mutating func name(of app: String, at now: Int64) -> String {
            if self.buckets[app] != nil || self.buckets.count < NewMessageLimit.appsLimit { return app }
            let idle = self.buckets.first { name, bucket in
                !name.isEmpty && now.subtractingClamped(bucket.at) >= NewMessageLimit.burst * 1_000
            }
            guard let idle else { return "" }
            self.buckets[idle.key] = nil
            return app
        }
    }

    /// The buckets of messages that one device has reported.
    private var unproven: Buckets
    /// The buckets of messages that further devices have reported.
    private var proven: Buckets
    /// The devices that have reported each refused message, by the hash of the message: each device sets one of 64
    /// bits. If two devices have the same bit, the message needs a report from one device more.
    private var refused: [Int: UInt64] = [:]

    /// The number of devices whose reports let a message begin or grow while memory is short. A campaign has so many
    /// reports in its first second.
    static let manyDevices = 5

    /// The capacity of a bucket, in seconds of its rate: so much may begin at once after a quiet time.
    private static let burst: Int64 = 100
    /// The rate of messages that further devices have reported, as a multiple of the other rate.
    private static let provenFactor: Int64 = 10
    /// The number of apps with a bucket of their own. Devices can invent names of apps, too; all further apps
    /// share one bucket.
    private static let appsLimit = 64
    /// The number of refused messages at which all of them are forgotten.
    private static let refusedLimit = 8_192

    /// Creates a limit with full buckets.
    ///
    /// - Parameter rate: the messages per second of one app, at least 1.
    init(rate: Int) {
        let rate = Int64(max(1, rate))
        self.unproven = Buckets(rate: rate)
        self.proven = Buckets(rate: rate * Self.provenFactor)
    }

    /// The approximate size of the limit in memory, in bytes.
    var byteCount: Int { (self.unproven.count + self.proven.count) * 100 + self.refused.count * 24 }

    /// Returns whether a message may begin, or grow while memory is short, and takes it from the rate of its app.
    ///
    /// - Parameters:
    ///   - key: the message.
    ///   - device: a number that identifies the reporting device, with random upper bits; nil if the event names no
    ///     device.
    ///   - isCrowded: whether memory is short.
    ///   - now: the time of this machine, in milliseconds since 1970.
    mutating func admits(_ key: CohortKey, device: UInt64?, isCrowded: Bool, at now: Int64) -> Bool {
        if !isCrowded, self.unproven.take(for: key.appBundle, at: now) { return true }
        guard let device else { return false }
        let hash = key.hashValue
        let devices = self.refused[hash, default: 0] | 1 << (device >> 58)
        // A refused message that is forgotten here needs its reports once more.
        if self.refused[hash] == nil, self.refused.count >= Self.refusedLimit {
            self.refused.removeAll(keepingCapacity: true)
        }
        // The message stays here when it is admitted, because it may have to be admitted for each device.
        self.refused[hash] = devices
        return devices.nonzeroBitCount >= (isCrowded ? Self.manyDevices : 2)
            && self.proven.take(for: key.appBundle, at: now)
    }
}
