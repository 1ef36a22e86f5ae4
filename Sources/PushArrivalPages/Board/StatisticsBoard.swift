import Synchronization
package import WireFormats

/// The latest statistics of the messages that were updated last. Bounded, and safe to use from any thread.
package final class StatisticsBoard: Sendable {
    /// Of messages that are shown. Up to a quarter more are held, so that dropping the oldest is not done for each.
    package let limit: Int
    private typealias Entry = [CohortKey: PushStatisticsRecord].Element
    private let messages = Mutex<[CohortKey: PushStatisticsRecord]>([:])

    package init(limit: Int) { self.limit = max(1, limit) }

    /// Takes a snapshot, unless a later one of the same message is there.
    ///
    /// - Returns: whether it was taken.
    @discardableResult
    package func take(_ statistics: PushStatisticsRecord) -> Bool {
        self.messages.withLock { messages in
            let key = statistics.key
            if let known = messages[key], known.version > statistics.version { return false }
            messages[key] = statistics
            if messages.count > self.limit + self.limit / 4 {
                let kept = messages.sorted(by: Self.isNewer).prefix(self.limit)
                messages = Dictionary(kept.map { ($0.key, $0.value) }) { $1 }
            }
            return true
        }
    }

    /// Nil if there is no such message, or no more.
    package func statistics(of key: CohortKey) -> PushStatisticsRecord? {
        self.messages.withLock { $0[key] }
    }

    /// All that are shown, those first that were updated last.
    package var newest: [PushStatisticsRecord] {
        let all = self.messages.withLock { $0 }
        return all.sorted(by: Self.isNewer).prefix(self.limit).map(\.value)
    }

    /// Those of the same moment in the order of their keys, so that no page ever shuffles them.
    private static func isNewer(_ one: Entry, _ other: Entry) -> Bool {
        one.value.updatedMS == other.value.updatedMS
            ? one.key < other.key : one.value.updatedMS > other.value.updatedMS
    }
}
