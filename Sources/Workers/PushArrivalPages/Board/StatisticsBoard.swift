import Synchronization
package import WireFormats

/// The latest statistics of the messages that were updated last. The number of messages is limited. The board
/// is safe to use from any thread.
package final class StatisticsBoard: Sendable {
    /// The number of messages that are shown. The board holds up to a quarter more, so that it need not
    /// search for the oldest message with each new one.
    package let limit: Int
    private typealias Entry = [CohortKey: PushStatisticsRecord].Element
    private let messages = Mutex<[CohortKey: PushStatisticsRecord]>([:])

    /// Creates an empty board.
    ///
    /// - Parameter limit: the number of messages that are shown, at least 1.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Adds the statistics of a message, unless the board has a later version of them.
    ///
    /// - Returns: whether they were added.
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

    /// Returns the statistics of a message; nil if the board does not have them, or has them no more.
    package func statistics(of key: CohortKey) -> PushStatisticsRecord? {
        self.messages.withLock { $0[key] }
    }

    /// The statistics that are shown, the last update first.
    package var newest: [PushStatisticsRecord] {
        let all = self.messages.withLock { $0 }
        return all.sorted(by: Self.isNewer).prefix(self.limit).map(\.value)
    }

    /// Returns whether one entry is shown before the other. Entries with the same time are ordered by their
    /// keys, so that their order is stable.
    private static func isNewer(_ one: Entry, _ other: Entry) -> Bool {
        one.value.updatedMS == other.value.updatedMS
            ? one.key < other.key : one.value.updatedMS > other.value.updatedMS
    }
}
