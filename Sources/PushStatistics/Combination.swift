package import WireFormats
import WorkerKit

/// The statistics of messages, added up from the parts that input partitions tell.
///
/// A part replaces the same part's earlier version, and a sum depends on nothing but its parts: reading them again, in
/// whole or from anywhere, gives the same statistics with the same versions.
package final class Combination {
    private final class Message {
        var parts: [Part: CohortSnapshot] = [:]
        var isDue = false
        /// What was last told, if it was told by this worker.
        var toldVersion: Int64?

        /// Higher with every part that is new or knows more. It begins at a time, because parts begin at 0: else what is
        /// told of a message after all was forgotten, or after Kafka has deleted an old part, would be taken for older
        /// than what had been told before. Nobody counts as many events in a time as it has milliseconds.
        var version: Int64 {
            let newest = self.parts.values.reduce(0) { max($0, $1.term, $1.lastSeen) }
            return self.parts.values.reduce(newest) { $0.addingClamped($1.version) }
        }
        var isComplete: Bool { self.parts.values.allSatisfy(\.isClosed) }
        /// When workers began to count it.
        var since: Int64 { self.parts.values.reduce(.max) { min($0, $1.term) } }
        var lastSeen: Int64 { self.parts.values.reduce(.min) { max($0, $1.lastSeen) } }
    }

    private struct Part: Hashable {
        var source: Int32
        var term: Int64
    }

    private let pace: EmissionPace
    private let retention: Int64
    /// Those of several parts or devices, and those of which something is to be told.
    private var messages: [CohortKey: Message] = [:]
    /// All others, as the one part that each has. They have been told.
    private var folded = FoldedCohorts(edges: LagHistogram.usualEdges)
    /// Places of folded messages that have not been told since they were read back; nil if all have.
    private var toldBuckets: Int?
    /// No message is forgotten before.
    private var endsFrom = Int64.max
    private var lookedThrough: Int64 = .min
    private var due = DueQueue<CohortKey>()

    /// How often messages are looked through for those that can be forgotten.
    private static let lookThroughInterval: Int64 = 60_000
    /// What a single device has told of is remembered so long after its last event: longer than input partitions
    /// remember anything.
    private static let shortRetention: Int64 = 35 * 86_400_000
    /// When a message that is not complete is looked at again.
    private static let openInterval: Int64 = 6 * 86_400_000

    /// - Parameter retention: how long after its last event a complete message is remembered.
    package init(pace: EmissionPace, retention: Duration = .seconds(60 * 86_400)) {
        self.pace = pace
        self.retention = retention.wholeMilliseconds
    }

    package var messageCount: Int { self.messages.count + self.folded.count }

    /// What all of it takes in memory, near enough. Looks at every message of more than one device.
    package var byteCount: Int {
        self.messages.values.reduce(self.folded.byteCount) { $0 + 300 + $1.parts.count * Self.partByteCount }
    }

    /// A part with its names and its lags.
    private static let partByteCount = 1_500

    /// Takes a part as an input partition tells it. One that is older than what is known is left alone.
    package func take(_ part: CohortSnapshot, now: Int64) {
        guard let message = self.keep(part, now: now) else { return }
        // The last word is said at once, also where another was planned for later: what comes later then has nothing new.
        let isLast = message.isComplete
        guard isLast || !message.isDue else { return }
        message.isDue = true
        self.due.add(part.key, due: isLast ? now : now + self.pace.interval(age: now - message.since))
    }

    /// - Returns: the message, if something has changed.
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

    private func unfold(_ key: CohortKey) -> Message? {
        guard let part = self.folded.take(key)?.snapshot else { return nil }
        let message = Message()
        message.parts[Part(source: part.source, term: part.term)] = part
        message.toldVersion = message.version
        return message
    }

    /// Keeps a message of a single device as bytes, once nothing of it is to be told.
    private func foldIfIdle(_ key: CohortKey, _ message: Message, now: Int64) {
        guard !message.isDue, message.parts.count == 1, let part = message.parts.values.first,
            !part.tally.isProven || part.tally.sent == 1,
            self.folded.put(part, due: self.end(of: message, now: now))
        else { return }
        self.messages[key] = nil
    }

    /// When a message can be forgotten, or is looked at again if it is not complete.
    private func end(of message: Message, now: Int64) -> Int64 {
        guard message.isComplete else { return now.addingClamped(min(Self.openInterval, self.retention)) }
        let isProven = message.parts.count > 1 || message.parts.values.contains { $0.tally.isProven }
        return message.lastSeen.addingClamped(
            isProven ? self.retention : min(self.retention, Self.shortRetention)
        )
    }

    // MARK: - What is told

    package var nextDue: Int64? { self.toldBuckets == nil ? self.due.nextDue : .min }

    /// Gives the statistics that are due.
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

    /// Tells of the messages that were folded as they were read back.
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
        // In an order of their own, so that the same parts always give the same statistics.
        let parts = message.parts.sorted { ($0.key.source, $0.key.term) < ($1.key.source, $1.key.term) }.map(
            \.value
        )
        var tally = Tally(edges: parts.last?.tally.histogram?.edges ?? [])
        for part in parts { tally += part.tally }
        var statistics = PushStatisticsRecord(of: key)
        statistics.take(tally)
        statistics.campaignID = parts.lazy.map(\.campaignID).first { !$0.isEmpty } ?? ""
        statistics.version = message.version
        statistics.isComplete = message.isComplete
        statistics.updatedMS = updated
        return statistics
    }

    // MARK: - What is read back

    /// Takes a part that was taken before, by this worker or another.
    package func restore(_ part: CohortSnapshot, now: Int64) {
        guard let message = self.keep(part, now: now) else { return }
        self.foldIfIdle(part.key, message, now: now)
    }

    /// Everything has been read back. Nobody knows what of it has been told: what can still change is told again, and
    /// what is complete was told in the transaction that took its last part.
    package func restored(now: Int64) {
        for (key, message) in self.messages where !message.isDue && !message.isComplete {
            message.isDue = true
            self.due.add(key, due: now)
        }
        self.toldBuckets = self.folded.count > 0 ? 0 : nil
    }
}
