import ServiceKit

/// Switches the order of a key off for a while when too many records queue behind one of them.
///
/// Order costs time: a record that keeps failing holds up all later records of its key. For forty records of
/// one customer that is what order means. For forty thousand records of a key that a publisher uses for all
/// of its records, it is an outage. RudderStack's router draws the same line, and calls it disabling the
/// barrier of a key: at 200 queued jobs, for 20 minutes. After the pause the key is ordered again, until too
/// many records queue up once more.
package struct KeyBypass<Key: Hashable & Sendable>: Sendable {
    /// When the order of a key is switched off, and for how long.
    package struct Settings: Hashable, Sendable {
        /// The number of records that may queue behind one record of a key; nil for any number, so that no
        /// key is ever bypassed.
        package var threshold: Int?
        /// How long the records of such a key do not wait for each other.
        package var pause = Duration.seconds(20 * 60)
        /// The number of keys that are remembered. Beyond it, the key that lost its order first is ordered
        /// again.
        package var keysLimit = 1_000

        /// Makes settings that bypass no key unless a threshold is given.
        package init(threshold: Int? = nil) { self.threshold = threshold }
    }

    private let settings: Settings
    /// The monotonic time at which the order of each key is on again, in nanoseconds.
    private var ends: [Key: Int64] = [:]
    /// The keys of `ends` in the order in which they lost their order, which is the order in which they get
    /// it back.
    private var order = Fifo<Key>()

    /// Makes a bypass in which every key is ordered.
    package init(_ settings: Settings) { self.settings = settings }

    /// Notes that so many records queue behind a record of this key.
    ///
    /// - Returns: True if this has switched the order of the key off; false if it was off already, or stays
    ///   on.
    package mutating func queued(behind key: Key, count: Int, at now: Int64) -> Bool {
        guard let threshold = self.settings.threshold, count > threshold else { return false }
        guard !self.isBypassed(key, at: now) else { return false }
        while let first = self.order.first,
            self.order.count >= self.settings.keysLimit || self.isOver(first, at: now)
        {
            self.ends[first] = nil
            _ = self.order.popFirst()
        }
        guard self.settings.keysLimit > 0 else { return false }
        self.ends[key] = now.addingClamped(self.settings.pause.wholeNanoseconds)
        self.order.append(key)
        return true
    }

    /// Returns whether a record of this key need not wait for earlier ones.
    package func isBypassed(_ key: Key, at now: Int64) -> Bool {
        guard !self.ends.isEmpty, let end = self.ends[key] else { return false }
        return now < end
    }

    private func isOver(_ key: Key, at now: Int64) -> Bool { self.ends[key].map { $0 <= now } ?? true }

    /// The number of keys that are remembered.
    var count: Int { self.order.count }
}
