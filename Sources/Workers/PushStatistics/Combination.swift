import ServiceKit
package import WireFormats

/// The statistics of messages, added up from the parts that the input partitions publish.
///
/// A part replaces the earlier version of the same part, and a sum depends on its parts only. A worker that
/// reads the parts again, all of them or from any offset on, therefore computes the same statistics with the
/// same versions.
package final class Combination {
    /// One message with its parts.
    private final class Message {
        var parts: [Part: CohortSnapshot] = [:]
        /// Whether the message is in `Combination.due`.
        var isDue = false
        /// The version that this worker published last; nil if it has published none.
        var toldVersion: Int64?

        /// The version of the statistics. It grows with every new part and with every change of a part.
        ///
        /// The version is the newest time in the parts, in milliseconds since 1970, plus the sum of their
        /// versions. The time is needed because the version of a new part begins at 0. Without it, the
        /// statistics of a message would look older than those published before, once the message was
        /// forgotten or Kafka has deleted an old part. This assumes that a message gets fewer events than
        /// milliseconds pass.
        var version: Int64 {
            let newest = self.parts.values.reduce(0) { max($0, $1.term, $1.lastSeen) }
            return self.parts.values.reduce(newest) { $0.addingClamped($1.version) }
        }
        var isComplete: Bool { self.parts.values.allSatisfy(\.isClosed) }
        /// The time at which the first partition began to count the message, in milliseconds since 1970.
        var since: Int64 { self.parts.values.reduce(.max) { min($0, $1.term) } }
        var lastSeen: Int64 { self.parts.values.reduce(.min) { max($0, $1.lastSeen) } }
    }

    /// The identity of a part within its message: the input partition and the term.
    private struct Part: Hashable {
        var source: Int32
        var term: Int64
    }

    private let pace: EmissionPace
    private let retention: Int64
    /// The messages with several parts or devices, and the messages whose statistics are due.
    private var messages: [CohortKey: Message] = [:]
    /// All other messages, each as its only part. Their statistics were published, except those in the
    /// buckets from `toldBuckets` on.
    private var folded = FoldedCohorts(edges: LagHistogram.usualEdges)
    /// The first bucket of folded messages whose statistics have not been published since the state was
    /// restored; nil if there is no such bucket.
    private var toldBuckets: Int?
    /// A lower bound of the time at which the next message in `messages` can be forgotten.
    private var endsFrom = Int64.max
    /// The value of `now` at the last search for messages that can be forgotten.
    private var lookedThrough: Int64 = .min
    private var due = DueQueue<CohortKey>()

    /// The shortest time between two searches for messages that can be forgotten, in milliseconds.
    private static let lookThroughInterval: Int64 = 60_000
    /// How long a message that only one device has reported is remembered after its last event, in
    /// milliseconds. With the default settings, the input partitions forget such a message earlier.
    private static let shortRetention: Int64 = 35 * 86_400_000
    /// How long a complete segment is remembered after its last event, in milliseconds. Nothing changes in one, so its
    /// parts come again only from a worker that restarts, and their statistics have a lower version then.
    private static let segmentRetention: Int64 = 14 * 86_400_000
    /// The pause before the next look at a message that is not complete, in milliseconds.
    private static let openInterval: Int64 = 6 * 86_400_000

    /// Creates a combination without messages.
    ///
    /// - Parameters:
    ///   - pace: how often the statistics of a message are published.
    ///   - retention: how long a complete message is remembered after its last event.
    package init(pace: EmissionPace, retention: Duration = .seconds(60 * 86_400)) {
        self.pace = pace
        self.retention = retention.wholeMilliseconds
    }

    /// The number of messages that are remembered.
    package var messageCount: Int { self.messages.count + self.folded.count }

    /// The approximate size of all messages in memory, in bytes. The getter visits every message that is not
    /// folded.
    package var byteCount: Int {
        self.messages.values.reduce(self.folded.byteCount) { sum, message in
            message.parts.values.reduce(sum + 300) { $0 + Self.partByteCount + $1.tally.hours.byteCount }
        }
    }

    /// The approximate size of a part with its names and its lags, in bytes.
    private static let partByteCount = 1_500

    /// Adds a part that an input partition has published. A part whose version is not higher than the known
    /// one is ignored.
    ///
    /// - Parameter now: the time of this machine, in milliseconds since 1970.
    package func take(_ part: CohortSnapshot, now: Int64) {
        guard let message = self.keep(part, now: now) else { return }
        // Complete statistics are published without delay, also if the message is already due later. The
        // later entry in the queue then has no new version and publishes nothing.
        let isLast = message.isComplete
        guard isLast || !message.isDue else { return }
        message.isDue = true
        self.due.add(
            part.key,
            due: isLast ? now : now + self.pace.interval(age: now - message.since, of: part.key)
        )
    }

    /// Stores a part if it is new or newer than the known one.
    ///
    /// - Returns: the message; nil if nothing has changed.
    private func keep(_ part: CohortSnapshot, now: Int64) -> Message? {
        let message = self.messages[part.key] ?? self.unfold(part.key) ?? Message()
        self.messages[part.key] = message
        let name = Part(source: part.source, term: part.term)
        if let known = message.parts[name], known.version >= part.version {
            self.foldIfIdle(part.key, message, now: now)
            return nil
        }
        message.parts[name] = part
        self.endsFrom = min(self.endsFrom, self.end(of: message, now: now))
        return message
    }

    /// Takes a message out of the folded ones, as an object; nil if it is not there.
    private func unfold(_ key: CohortKey) -> Message? {
        guard let part = self.folded.take(key)?.snapshot else { return nil }
        let message = Message()
        message.parts[Part(source: part.source, term: part.term)] = part
        message.toldVersion = message.version
        return message
    }

    /// Folds a message of a single part and device into bytes if its statistics are not due.
    private func foldIfIdle(_ key: CohortKey, _ message: Message, now: Int64) {
        guard !message.isDue, message.parts.count == 1, let part = message.parts.values.first,
            !part.tally.isProven || part.tally.sent == 1 || !key.segment.isEmpty,
            self.folded.put(part, due: self.end(of: message, now: now))
        else { return }
        self.messages[key] = nil
    }

    /// Returns the time at which a complete message can be forgotten, or at which an incomplete one is looked
    /// at again.
    private func end(of message: Message, now: Int64) -> Int64 {
        guard message.isComplete else { return now.addingClamped(min(Self.openInterval, self.retention)) }
        let isSegment = message.parts.values.contains { !$0.key.segment.isEmpty }
        let isProven = message.parts.count > 1 || message.parts.values.contains { $0.tally.isProven }
        let longest = isSegment ? Self.segmentRetention : isProven ? self.retention : Self.shortRetention
        return message.lastSeen.addingClamped(min(self.retention, longest))
    }

    // MARK: - Output

    /// The time of the next call of `collect` that has something to publish; nil if nothing is due, and the
    /// lowest possible value if restored messages are still to be published.
    package var nextDue: Int64? { self.toldBuckets == nil ? self.due.nextDue : .min }

    /// Forgets old messages and hands out the statistics that are due.
    ///
    /// - Parameters:
    ///   - now: the time of this machine, in milliseconds since 1970.
    ///   - limit: the greatest number of statistics in this call; all others stay due. Restored messages are
    ///     published by whole buckets, so the last bucket may exceed the limit.
    ///   - tell: called for every message whose statistics must be published.
    package func collect(
        now: Int64,
        limit: Int = 2_000,
        _ tell: (CohortKey, PushStatisticsRecord) -> Void
    ) {
        self.forget(now: now)
        var told = 0
        while told < limit, let key = self.due.popDue(at: now) {
            guard let message = self.messages[key] else { continue }
            message.isDue = false
            let version = message.version
            if message.toldVersion != version {
                message.toldVersion = version
                tell(key, Self.statistics(of: key, message, updated: now))
                told += 1
            }
            self.foldIfIdle(key, message, now: now)
        }
        self.tellFolded(now: now, atMost: limit - told, tell)
    }

    /// Publishes the statistics of messages that were restored and folded, bucket by bucket.
    private func tellFolded(now: Int64, atMost limit: Int, _ tell: (CohortKey, PushStatisticsRecord) -> Void)
    {
        var left = limit
        while let bucket = self.toldBuckets, left > 0 {
            self.folded.forEach(in: bucket) { part in
                guard !part.isClosed else { return }
                let message = Message()
                message.parts[Part(source: part.source, term: part.term)] = part
                tell(part.key, Self.statistics(of: part.key, message, updated: now))
                left -= 1
            }
            self.toldBuckets = bucket + 1 < self.folded.bucketCount ? bucket + 1 : nil
        }
    }

    /// Forgets the complete messages whose retention is over, at most once per `lookThroughInterval`, or at
    /// once if the clock was set back.
    private func forget(now: Int64) {
        guard min(self.endsFrom, self.folded.nextDue ?? .max) <= now,
            now >= self.lookedThrough.addingClamped(Self.lookThroughInterval) || now < self.lookedThrough
        else { return }
        self.lookedThrough = now
        self.endsFrom = .max
        for (key, message) in self.messages {
            let end = self.end(of: message, now: now)
            if message.isComplete, end <= now, !message.isDue {
                self.messages[key] = nil
            } else {
                self.endsFrom = min(self.endsFrom, end)
            }
        }
        for entry in self.folded.takeDue(at: now) where !entry.snapshot.isClosed {
            _ = self.folded.put(entry.snapshot, due: now.addingClamped(Self.openInterval))
        }
    }

    private static func statistics(
        of key: CohortKey,
        _ message: Message,
        updated: Int64
    ) -> PushStatisticsRecord {
        // The parts are added in a fixed order, so that the same parts always give the same statistics.
        let parts = message.parts.sorted { ($0.key.source, $0.key.term) < ($1.key.source, $1.key.term) }.map(
            \.value
        )
        var tally = Tally(edges: parts.last?.tally.histogram?.edges ?? [])
        for part in parts { tally += part.tally }
        var statistics = PushStatisticsRecord(of: key)
        statistics.take(tally)
        if !key.segment.isEmpty { statistics.lag = PushStatisticsRecord.Lag() }
        statistics.campaignID = parts.lazy.map(\.campaignID).first { !$0.isEmpty } ?? ""
        statistics.version = message.version
        statistics.isComplete = message.isComplete
        statistics.updatedMS = updated
        return statistics
    }

    // MARK: - Restoring

    /// Adds a part that this worker or another one has read before. Nothing is published.
    package func restore(_ part: CohortSnapshot, now: Int64) {
        guard let message = self.keep(part, now: now) else { return }
        self.foldIfIdle(part.key, message, now: now)
    }

    /// Plans the statistics of all restored messages that are not complete, because the restored parts do not
    /// say which statistics were published. The statistics of a complete message need no repetition: they
    /// were published in the same transaction that consumed its last part.
    ///
    /// Call this once, after the last `restore`.
    package func restored(now: Int64) {
        for (key, message) in self.messages where !message.isDue && !message.isComplete {
            message.isDue = true
            self.due.add(key, due: now)
        }
        self.toldBuckets = self.folded.count > 0 ? 0 : nil
    }
}
