import Kafka
import Records

/// Reads the cluster's new records into the index, and fetches single records.
///
/// Joins no consumer group and commits no offset. Belongs to one thread, which waits for the cluster.
package final class ClusterReader {
    /// The settings that the reader was made with.
    package let settings: DeadLetterSettings
    /// The index of this cluster.
    package let index: LetterIndex
    /// The id that the cluster gives itself.
    package let clusterID: String
    /// Makes the marks of masked values, with the salt of the settings.
    package let mark: KeyedMark
    /// Reads records by partition and offset.
    let log: LogReader

    /// The progress of a read that may take long.
    package struct Progress: Hashable, Sendable {
        /// The number of offsets that have been read.
        package var done: Int64
        /// The number of offsets that were to be read when the read began.
        package var total: Int64
    }

    /// Connects to the cluster and opens the index.
    ///
    /// - Parameter environment: the variables of the process, for the standard path of the index.
    /// - Throws: `NoAnswer`, `KafkaError` or `NoClusterID` if the cluster does not answer within `settings.patience`;
    ///   errors of `LetterIndex.init`.
    package init(_ settings: DeadLetterSettings, environment: [String: String]) throws {
        self.settings = settings
        let patterns = settings.topics.map(NamePattern.init)
        let counts = try Self.topics(settings)
        let partitions = counts.filter { topic, _ in patterns.contains { $0.matches(topic) } }.values.reduce(
            0,
            +
        )
        self.log = try LogReader(settings.readerProperties(partitions: partitions))
        // The metadata request comes first, because librdkafka learns the cluster's id from such an answer;
        // on its own it sends the request only after a second.
        _ = try self.log.metadata(atMost: settings.patience)
        guard let id = self.log.clusterID(atMost: settings.patience) else { throw NoClusterID() }
        self.clusterID = id
        self.mark = KeyedMark(salt: settings.salt)
        let path = settings.indexPath ?? IndexFile.standardPath(clusterID: id, environment: environment)
        self.index = try LetterIndex(path: path, mark: self.mark, isOwnPlace: settings.indexPath == nil)
    }

    /// Returns the partition counts of all topics that the cluster shows.
    private static func topics(_ settings: DeadLetterSettings) throws -> [String: Int] {
        do {
            return try Admin(settings.properties).metadata(atMost: settings.patience).partitionCounts
        } catch {
            guard error.isNoAnswer else { throw error }
            throw NoAnswer(
                brokers: settings.properties["bootstrap.servers"] ?? "",
                patience: settings.patience
            )
        }
    }

    /// No broker has answered.
    struct NoAnswer: Error, CustomStringConvertible {
        var brokers: String
        var patience: Duration

        var description: String {
            "no broker answers at \(self.brokers) within \(self.patience.components.seconds) s (kafka.brokers, kafka.patience)"
        }
    }

    /// The cluster has answered, but has not told its id within `settings.patience`.
    struct NoClusterID: Error, CustomStringConvertible {
        var description: String { "the cluster does not say its id" }
    }

    /// Returns the topics of dead letters that the cluster has, with the number of partitions of each.
    ///
    /// - Throws: `KafkaError` if the cluster does not answer in time.
    package func letterTopics() throws -> [String: Int] {
        let patterns = self.settings.topics.map(NamePattern.init)
        let own = [self.settings.ledgerTopic, self.settings.auditTopic]
        return try self.log.metadata(atMost: self.settings.patience).partitionCounts.filter { topic, _ in
            !own.contains(topic) && patterns.contains { $0.matches(topic) }
        }
    }

    /// Reads everything new from the ledger, the audit trail, the topics of dead letters and the result
    /// topics into the index.
    ///
    /// - Parameters:
    ///   - endedSince: as in `refreshResults`.
    ///   - progress: told now and then how far the dead letters have been read.
    /// - Returns: the topics of dead letters, with their numbers of partitions.
    /// - Throws: `LetterIndex.Damaged` if the index cannot be read; its file is deleted then, and the next
    ///   reader creates it again. `TopicReader.MissingTopic` if the settings name topics without `*` and none
    ///   of them exists. `KafkaError` or `LogStretch.Stalled` if the cluster does not answer in time.
    @discardableResult
    package func refresh(endedSince: Int64 = .min, _ progress: (Progress) -> Void = { _ in }) throws
        -> [String: Int]
    {
        try self.index.deletedIfDamaged { try self.readNews(endedSince: endedSince, progress) }
    }

    /// Reads everything new, as `refresh` says.
    private func readNews(endedSince: Int64, _ progress: (Progress) -> Void) throws -> [String: Int] {
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
        try self.refreshResults(counts, endedSince: endedSince)
        return topics
    }

    /// Reads everything new from the ledger.
    ///
    /// - Parameter counts: the numbers of partitions of all topics; nil asks the cluster.
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

    /// Reads everything new from the ledger and the audit trail, which together tell which replays are under
    /// way.
    func refreshTrail() throws {
        let counts = try self.log.metadata(atMost: self.settings.patience).partitionCounts
        try self.refreshLedger(counts)
        try self.refreshAudit(counts)
    }

    /// Reads everything new from the audit trail.
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

    /// Reads everything new from the topics of dead letters.
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

    /// Reads the outcomes of replays from the result topics.
    ///
    /// A result topic is read only if a replay waits for an outcome there, or has ended there without success: a worker
    /// that is killed before its commit handles the record again, and may succeed then. A new topic is read only from
    /// ten minutes before the oldest replay on that has not succeeded.
    ///
    /// - Parameters:
    ///   - counts: the numbers of partitions of all topics; nil asks the cluster.
    ///   - endedSince: the time, in milliseconds since 1970, before which a replay has ended for good.
    func refreshResults(_ counts: [String: Int]? = nil, endedSince: Int64 = .min) throws {
        let waiting = try self.index.waitingReplays(endedSince: endedSince)
        guard !waiting.isEmpty else { return }
        let counts = try counts ?? self.log.metadata(atMost: self.settings.patience).partitionCounts
        var starts: [TopicPartition: Int64] = [:]
        for (target, since) in waiting {
            let topic = target + self.settings.resultSuffix
            for partition in Self.partitions([topic: counts[topic] ?? 0]) {
                // The clocks of this machine, the worker and the broker may differ, so reading begins ten
                // minutes earlier.
                starts[partition] = max(0, max(0, since) - 600_000)
            }
        }
        guard !starts.isEmpty else { return }
        let known = try self.index.knownStands(of: Set(starts.keys))
        let fresh = starts.filter { known[$0.key] == nil }
        let offsets = (try? self.log.offsets(notBefore: fresh, atMost: self.settings.patience)) ?? [:]
        var first: [TopicPartition: Int64] = [:]
        for (partition, bounds) in try self.log.bounds(of: fresh.keys, atMost: self.settings.patience) {
            // If no offset could be found by time, reading begins at the first record, which is correct and
            // only slower. If offsets were found in other partitions, this one has no record so late, and
            // reading begins at its end.
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

    /// Lists all partitions of these topics.
    private static func partitions(_ counts: [String: Int]) -> [TopicPartition] {
        counts.flatMap { topic, count in
            (0..<Int32(clamping: count)).map { TopicPartition(topic: topic, partition: $0) }
        }
    }

    /// Runs `body`, and runs it again if another process has written to the index meanwhile, at most 21
    /// times.
    ///
    /// - Throws: `Overtaken` after the last try; other errors of `body` at once.
    private func untilAlone(_ body: () throws -> Void) throws {
        for _ in 0..<20 {
            do {
                return try body()
            } catch is Overtaken {}
        }
        try body()
    }
}
