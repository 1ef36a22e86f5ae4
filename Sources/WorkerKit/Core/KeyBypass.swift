/// Switches the order of a key off for a while when too many records queue behind one of them.
///
/// Order costs time: a record that keeps failing holds up everything of its key. For one customer's forty records
/// that is what order means; for forty thousand of a key that a publisher has used for all of its records, it is an
/// outage. RudderStack's router draws the same line, and calls it disabling the barrier of a key: at 200 queued jobs,
/// for 20 minutes. After the pause the key is ordered again, until it piles up once more.
package struct KeyBypass<Key: Hashable & Sendable>: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Records that may queue behind one key; nil for any number, so that nothing is ever bypassed.
        package var threshold: Int?
        /// How long records of such a key do not wait for each other.
        package var pause = Duration.seconds(20 * 60)
        /// Most keys that are remembered; beyond it, the order of the one that lost it first is on again.
        package var keysLimit = 1_000

        package init(threshold: Int? = nil) { self.threshold = threshold }
    }

    private let settings: Settings
    /// Until when the order of each key is off.
    private var ends: [Key: Int64] = [:]
    /// The same keys in the order in which they lost it, which is the order in which they get it back.
    private var order = Fifo<Key>()

    package init(_ settings: Settings) { self.settings = settings }

    /// So many records queue behind this key.
    ///
    /// - Returns: whether this has switched its order off; false if it was off already.
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

    /// Whether a record of this key need not wait for earlier ones.
    package func isBypassed(_ key: Key, at now: Int64) -> Bool {
        guard !self.ends.isEmpty, let end = self.ends[key] else { return false }
        return now < end
    }

    private func isOver(_ key: Key, at now: Int64) -> Bool { self.ends[key].map { $0 <= now } ?? true }

    /// Keys that are remembered.
    var count: Int { self.order.count }
}
