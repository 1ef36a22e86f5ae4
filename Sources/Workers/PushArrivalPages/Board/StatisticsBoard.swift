import Synchronization
package import WireFormats

/// The latest statistics of the messages that were updated last, and the days of segments. The numbers of both are limited.
/// The board is safe to use from any thread.
package final class StatisticsBoard: Sendable {
    /// The number of messages that are shown. The board holds up to a quarter more, so that it need not
    /// search for the oldest message with each new one.
    package let limit: Int
    private let segmentsLimit: Int
    private let content = Mutex(Content())

    fileprivate struct Content {
        var messages: [CohortKey: PushStatisticsRecord] = [:]
        /// The messages that are shown, in their order; nil if that has to be found anew, because some have changed. The
        /// pages ask for it with each view, and to order a hundred thousand messages takes long.
        var newest: [PushStatisticsRecord]?
        var segments: [CohortKey: SegmentDay] = [:]
        /// The newest day of a segment, and the oldest one that was kept when there were too many, in milliseconds since
        /// 1970.
        var newestDay = Int64.min / 2
        var keptFrom = Int64.min
    }

    /// Creates an empty board.
    ///
    /// - Parameters:
    ///   - limit: the number of messages that are shown, at least 1.
    ///   - segments: the greatest number of days of segments. The usual one is that of twenty apps that name all
    ///     segments that are counted apart.
    package init(limit: Int, segments: Int = 100_000) {
        self.limit = max(1, limit)
        self.segmentsLimit = segments
    }

    /// Adds the statistics of a message, unless the board has a later version of them.
    ///
    /// - Returns: whether they were added.
    @discardableResult
    package func take(_ statistics: PushStatisticsRecord) -> Bool {
        self.content.withLock { content in
            let key = statistics.key
            if let segment = SegmentDay(statistics) {
                return content.take(segment, key, limit: self.segmentsLimit)
            }
            if let known = content.messages[key], known.version > statistics.version { return false }
            content.messages[key] = statistics
            content.newest = nil
            if content.messages.count > self.limit + self.limit / 4 {
                let kept = self.newest(of: content.messages)
                content.messages = Dictionary(kept.map { ($0.key, $0) }) { $1 }
            }
            return true
        }
    }

    /// Returns the statistics of a message; nil if the board does not have them, or has them no more.
    package func statistics(of key: CohortKey) -> PushStatisticsRecord? {
        self.content.withLock { $0.messages[key] }
    }

    /// The statistics that are shown, the last update first.
    package var newest: [PushStatisticsRecord] {
        self.content.withLock { content in
            let newest = content.newest ?? self.newest(of: content.messages)
            content.newest = newest
            return newest
        }
    }

    /// The days of all segments, in no particular order.
    var segments: [SegmentDay] { self.content.withLock { Array($0.segments.values) } }

    /// Returns the messages that are shown, the last update first. Messages with the same time are ordered by their keys, so
    /// that their order is stable.
    private func newest(of messages: [CohortKey: PushStatisticsRecord]) -> [PushStatisticsRecord] {
        // Places are sorted and not statistics, which are large.
        var places = messages.indices.map { (place: $0, updated: messages[$0].value.updatedMS) }
        places.sort { one, other in
            one.updated == other.updated
                ? messages[one.place].key < messages[other.place].key : one.updated > other.updated
        }
        return places.prefix(self.limit).map { messages[$0.place].value }
    }
}

extension StatisticsBoard.Content {
    /// Adds the day of a segment, unless a later version is known. Days that no page compares give way to new ones; if there
    /// are too many for that, a new one is left out.
    ///
    /// - Returns: whether it was added.
    fileprivate mutating func take(_ segment: SegmentDay, _ key: CohortKey, limit: Int) -> Bool {
        if let known = self.segments[key] {
            guard known.version <= segment.version else { return false }
        }
        self.newestDay = max(self.newestDay, segment.day)
        if self.segments[key] == nil, self.segments.count >= limit {
            let kept = self.newestDay - (SegmentTrend.pastDays + 2) * HourlyArrivals.millisecondsOfDay
            // To look through all of them takes long, and finds nothing before another day has come.
            if kept > self.keptFrom {
                self.keptFrom = kept
                self.segments = self.segments.filter { $0.value.day >= kept }
            }
            guard self.segments.count < limit, segment.day >= kept else { return false }
        }
        self.segments[key] = segment
        return true
    }
}
