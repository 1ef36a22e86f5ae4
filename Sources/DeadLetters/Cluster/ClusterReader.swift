import Kafka
import Records
import WireFormats

/// Brings the index up to date from the cluster, and fetches single records. Belongs to one thread.
///
/// It joins no group and commits nothing.
package final class ClusterReader {
    package let settings: DeadLetterSettings
    package let index: LetterIndex
    package let clusterID: String
    package let mark: KeyedMark
    let log: LogReader

    /// How far a long look has come.
    package struct Progress: Hashable, Sendable {
        /// Records read, of so many that there are to read.
        package var done: Int64
        package var total: Int64
    }

    /// - Throws: if the cluster does not answer within the settings' patience.
    package init(_ settings: DeadLetterSettings, environment: [String: String]) throws {
        self.settings = settings
        let patterns = settings.topics.map(TopicPattern.init)
        let counts = try Admin(settings.properties).metadata(atMost: settings.patience).partitionCounts
        let partitions = counts.filter { topic, _ in patterns.contains { $0.matches(topic) } }.values.reduce(
            0,
            +
        )
        self.log = try LogReader(settings.readerProperties(partitions: partitions))
        // Asked first: librdkafka gets to know the id by such an answer, and of its own accord asks only after a second.
        _ = try self.log.metadata(atMost: settings.patience)
        guard let id = self.log.clusterID(atMost: settings.patience) else { throw NoClusterID() }
        self.clusterID = id
        self.mark = KeyedMark(salt: settings.salt)
        let path = settings.indexPath ?? IndexFile.standardPath(clusterID: id, environment: environment)
        self.index = try LetterIndex(path: path, mark: self.mark, isOwnPlace: settings.indexPath == nil)
    }

    /// The cluster answers, and says no name of its own.
    struct NoClusterID: Error, CustomStringConvertible {
        var description: String { "the cluster does not say its id" }
    }

    /// Topics of dead letters that there are, and how many partitions each has.
    package func letterTopics() throws -> [String: Int] {
        let patterns = self.settings.topics.map(TopicPattern.init)
        let own = [self.settings.ledgerTopic, self.settings.auditTopic]
        return try self.log.metadata(atMost: self.settings.patience).partitionCounts.filter { topic, _ in
            !own.contains(topic) && patterns.contains { $0.matches(topic) }
        }
    }

    /// Reads what is new of ledger, audit trail, letters and results.
    ///
    /// - Returns: the letters' topics, with their partitions.
    /// - Throws: `LetterIndex.Damaged` if the index cannot be read. The next reader makes it anew.
    @discardableResult
    package func refresh(_ progress: (Progress) -> Void = { _ in }) throws -> [String: Int] {
        try self.index.deletedIfDamaged { try self.readNews(progress) }
    }

    private func readNews(_ progress: (Progress) -> Void) throws -> [String: Int] {
        let counts = try self.log.metadata(atMost: self.settings.patience).partitionCounts
        try self.refreshLedger(counts)
        try self.refreshAudit(counts)
        let topics = try self.letterTopics()
        guard !topics.isEmpty || self.settings.topics.contains(where: { $0.contains("*") }) else {
            throw TopicReader.MissingTopic(topic: self.settings.topics.joined(separator: ", "))
        }
        try self.index.forgetPartitions { Int($0.partition) < counts[$0.topic] ?? 0 }
        try self.refreshLetters(topics, progress)
        try self.index.indexLetterIDs()
        try self.index.mendGroups()
        try self.refreshResults(counts)
        return topics
    }

    /// Reads what is new in the ledger.
    package func refreshLedger(_ counts: [String: Int]? = nil) throws {
        let counts = try counts ?? self.log.metadata(atMost: self.settings.patience).partitionCounts
        let topic = self.settings.ledgerTopic
        try self.untilAlone {
            var news: [LedgerNews] = []
            try self.read(Self.partitions([topic: counts[topic] ?? 0])) { _, record in
                if let told = LedgerNews(record.copy()) { news.append(told) }
            } write: { stands in
                try self.index.write(news, stands)
                news = []
            }
        }
    }

    /// Reads what is new in ledger and audit trail: what tells of replays that are under way.
    func refreshTrail() throws {
        let counts = try self.log.metadata(atMost: self.settings.patience).partitionCounts
        try self.refreshLedger(counts)
        try self.refreshAudit(counts)
    }

    private func refreshAudit(_ counts: [String: Int]) throws {
        let topic = self.settings.auditTopic
        try self.untilAlone {
            var entries: [(place: Int64, entry: AuditEntry, text: String)] = []
            try self.read(Self.partitions([topic: counts[topic] ?? 0])) { stand, record in
                let copy = record.copy()
                guard let entry = AuditEntry(copy) else { return }
                let place = LetterIndex.place(partition: stand.id, offset: record.offset)
                entries.append((place, entry, String(decoding: copy.value ?? [], as: UTF8.self)))
            } write: { stands in
                try self.index.write(entries, stands)
                entries = []
            }
        }
    }

    private func refreshLetters(_ topics: [String: Int], _ progress: (Progress) -> Void) throws {
        var reader = LetterReader(clusterID: self.clusterID)
        try self.untilAlone {
            let intake = LetterIntake(self.index, clusterID: self.clusterID, mark: self.mark)
            try self.read(Self.partitions(topics), checksAnchors: true) { stand, record in
                guard record.offset < 1 << LetterIndex.offsetBits else { return }
                let (row, group, replayable) = reader.row(of: record, in: stand.topic, partition: stand.id)
                intake.add(row, to: group, replayable: replayable)
            } write: { stands in
                try intake.write(stands)
            } progress: {
                progress($0)
            }
            try intake.finish()
        }
    }

    /// Reads results only where a replay waits for one, and from shortly before the oldest of those on.
    func refreshResults(_ counts: [String: Int]? = nil) throws {
        let waiting = try self.index.waitingReplays()
        guard !waiting.isEmpty else { return }
        let counts = try counts ?? self.log.metadata(atMost: self.settings.patience).partitionCounts
        var starts: [TopicPartition: Int64] = [:]
        for (target, since) in waiting {
            let topic = target + self.settings.resultSuffix
            for partition in Self.partitions([topic: counts[topic] ?? 0]) {
                // Clocks differ.
                starts[partition] = max(0, max(0, since) - 600_000)
            }
        }
        guard !starts.isEmpty else { return }
        let known = try self.index.knownStands(of: Set(starts.keys))
        let fresh = starts.filter { known[$0.key] == nil }
        let offsets = (try? self.log.offsets(notBefore: fresh, atMost: self.settings.patience)) ?? [:]
        var first: [TopicPartition: Int64] = [:]
        for (partition, bounds) in try self.log.bounds(of: fresh.keys, atMost: self.settings.patience) {
            // Where a cluster cannot tell, or has nothing so late, the beginning is right too, and only slower.
            first[partition] = offsets[partition] ?? (offsets.isEmpty ? bounds.lowerBound : bounds.upperBound)
        }
        try self.untilAlone {
            var endings: [ReplayOutcome] = []
            try self.read(Array(starts.keys), startingAt: first) { _, record in
                if let ending = ReplayOutcome(record.copy()) { endings.append(ending) }
            } write: { stands in
                try self.index.write(endings, stands)
                endings = []
            }
        }
    }

    private static func partitions(_ counts: [String: Int]) -> [TopicPartition] {
        counts.flatMap { topic, count in
            (0..<Int32(clamping: count)).map { TopicPartition(topic: topic, partition: $0) }
        }
    }

    /// Does it again if another process has written to the index meanwhile.
    private func untilAlone(_ body: () throws -> Void) throws {
        for _ in 0..<20 {
            do {
                return try body()
            } catch is Overtaken {}
        }
        try body()
    }
}
