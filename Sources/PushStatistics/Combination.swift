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
    private var messages: [CohortKey: Message] = [:]
    private var due = DueQueue<CohortKey>()
    private var ends = DueQueue<CohortKey>()

    /// - Parameter retention: how long after its last event a complete message is remembered.
    package init(pace: EmissionPace, retention: Duration = .seconds(60 * 86_400)) {
        self.pace = pace
        self.retention = retention.wholeMilliseconds
    }

    package var messageCount: Int { self.messages.count }

    /// What all of it takes in memory, near enough. Looks at every message.
    package var byteCount: Int {
        self.messages.values.reduce(0) { $0 + 300 + $1.parts.count * Self.partByteCount }
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
        let message = self.messages[part.key] ?? Message()
        if message.parts.isEmpty {
            self.messages[part.key] = message
            self.ends.add(part.key, due: now + self.retention)
        }
        let name = Part(source: part.source, term: part.term)
        if let known = message.parts[name], known.version >= part.version { return nil }
        message.parts[name] = part
        return message
    }

    // MARK: - What is told

    package var nextDue: Int64? { self.due.nextDue }

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
            guard message.toldVersion != version else { continue }
            message.toldVersion = version
            tell(key, Self.statistics(of: key, message, updated: now))
            told += 1
        }
    }

    private func forget(now: Int64) {
        while let key = self.ends.popDue(at: now) {
            guard let message = self.messages[key] else { continue }
            let end = message.lastSeen.addingClamped(self.retention)
            if message.isComplete, end <= now {
                self.messages[key] = nil
            } else {
                self.ends.add(key, due: max(end, now + self.retention / 10))
            }
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
    package func restore(_ part: CohortSnapshot, now: Int64) { _ = self.keep(part, now: now) }

    /// Everything has been read back. Nobody knows what of it has been told: what can still change is told again, and
    /// what is complete was told in the transaction that took its last part.
    package func restored(now: Int64) {
        for (key, message) in self.messages where !message.isDue && !message.isComplete {
            message.isDue = true
            self.due.add(key, due: now)
        }
    }
}
