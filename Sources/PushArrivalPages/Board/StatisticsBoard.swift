import Synchronization

/// The latest statistics of the messages that were updated last. Bounded, and safe to use from any thread.
package final class StatisticsBoard: Sendable {
    /// Of messages that are shown. Up to a quarter more are held, so that dropping the oldest is not done for each.
    package let limit: Int
    private let messages = Mutex<[MessageKey: MessageStatistics]>([:])

    package init(limit: Int) { self.limit = max(1, limit) }

    /// Takes a snapshot, unless a later one of the same message is there.
    ///
    /// - Returns: whether it was taken.
    @discardableResult
    package func take(_ statistics: MessageStatistics) -> Bool {
        self.messages.withLock { messages in
            if let known = messages[statistics.key], known.version > statistics.version { return false }
            messages[statistics.key] = statistics
            if messages.count > self.limit + self.limit / 4 {
                let kept = messages.values.sorted(by: Self.isNewer).prefix(self.limit)
                messages = Dictionary(kept.map { ($0.key, $0) }) { $1 }
            }
            return true
        }
    }

    /// Nil if there is no such message, or no more.
    package func statistics(of key: MessageKey) -> MessageStatistics? {
        self.messages.withLock { $0[key] }
    }

    /// All that are shown, those first that were updated last.
    package var newest: [MessageStatistics] {
        let all = self.messages.withLock { Array($0.values) }
        return Array(all.sorted(by: Self.isNewer).prefix(self.limit))
    }

    /// Those of the same moment in the order of their keys, so that no page ever shuffles them.
    private static func isNewer(_ one: MessageStatistics, _ other: MessageStatistics) -> Bool {
        one.updatedAt == other.updatedAt ? one.key < other.key : one.updatedAt > other.updatedAt
    }
}
