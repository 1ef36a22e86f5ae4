import ArgumentParser
import DeadLetters
import Foundation
import Kafka
import Operations
import Records
import ServiceKit
import Terminal

/// `fleet trace`: shows the life of a record.
struct TraceCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Show the life of a record: retries, parking, dead letters, replays, and how it ended.",
        discussion: """
            Reads the worker's topics and commits nothing. A record is named by its key, by topic/partition/offset \
            (the id of its outcome), or by the id of its dead letter. Payloads are not shown, and a key is shown as \
            its mark, as in 'dead-letters' and in the logs. The exit code is 1 if nothing is found.
            """
    )

    @Argument(help: "A key, topic/partition/offset, or dl-….")
    var record: String

    @OptionGroup var options: WorkerOptions

    @Option(
        help: ArgumentHelp(
            "How far back the topics are read, such as 30m or 24h. Without it, from the record on if it is named by its place, and 24h otherwise.",
            valueName: "time"
        )
    )
    var since: String?

    @Option(help: ArgumentHelp("The most records that are read.", valueName: "n"))
    var limit = 5_000_000

    @Option(help: ArgumentHelp("The longest time of reading.", valueName: "seconds"))
    var timeLimit = 60

    @Option(help: ArgumentHelp("The most lives that are shown, the newest.", valueName: "n"))
    var count = 10

    @Flag(help: "Print each life as a line of JSON.")
    var json = false

    private static let ledger = "dead-letters.ledger"
    /// The most passes over the topics: each finds the replays of what the one before has found.
    private static let mostPasses = 5
    /// The longest time that the cluster may take to answer a request.
    private static let patience = Duration.seconds(15)

    func validate() throws {
        // The gateway fills topics and reads none, so it has no lives to tell.
        _ = try Roster.program(self.options.worker)
        if let since, SettingText.duration(since).map({ $0 > .zero }) != true {
            throw ValidationError("--since is a time such as 30m or 24h.")
        }
        guard self.limit > 0 else { throw ValidationError("--limit is at least 1.") }
        guard (1...3_600).contains(self.timeLimit) else {
            throw ValidationError("--time-limit is from 1 to 3600 seconds.")
        }
        guard self.count > 0 else { throw ValidationError("--count is at least 1.") }
    }

    func carryOut(until wish: StopWish) throws {
        let file = try WorkerFile(self.options.config, of: self.options.worker)
        let salt = try file.logSalt ?? MarkSalt.ofThisUser(ProcessInfo.processInfo.environment)
        let log = try LogReader(
            file.kafka.readerProperties.merging(["isolation.level": "read_committed", "log_level": "0"]) {
                $1
            }
        )
        let counts: [String: Int]
        do throws(KafkaError) {
            counts = try log.metadata(atMost: Self.patience).partitionCounts
        } catch {
            throw SilentCluster(brokers: file.kafka.brokers, error: error)
        }
        let reader = LifeReader(
            clusterID: log.clusterID(atMost: Self.patience) ?? "",
            input: file.kafka.topic,
            mark: KeyedMark(salt: salt)
        )
        var scan = TopicScan(
            log,
            Self.partitions(file.topics, counts),
            patience: Self.patience,
            recordLimit: self.limit,
            deadline: Moment.now.monotonic + Int64(self.timeLimit) * 1_000_000_000
        )
        let filter = try self.found(by: &scan, reader, until: wish)
        let lives = RecordLife.lives(of: filter.events)
        if scan.isCut || filter.isFull {
            Console.complain(
                "A bound has ended the reading after \(scan.recordsRead) records: shorten --since, or raise --limit or --time-limit."
            )
        }
        try self.show(lives)
    }

    /// The partitions of the topics that tell of records.
    private static func partitions(
        _ topics: [WantedTopic],
        _ counts: [String: Int]
    ) -> [TopicPartition: LifeReader.Role] {
        var roles: [TopicPartition: LifeReader.Role] = [:]
        let named = topics.compactMap { topic in
            LifeReader.Role(rawValue: topic.role).map { (topic.name, $0) }
        }
        for (name, role) in named + [(Self.ledger, .ledger)] {
            for partition in 0..<Int32(clamping: counts[name] ?? 0) {
                roles[TopicPartition(topic: name, partition: partition)] = role
            }
        }
        return roles
    }

    /// Reads the topics until nothing more is found.
    private func found(by scan: inout TopicScan, _ reader: LifeReader, until wish: StopWish) throws
        -> TraceFilter
    {
        var filter = TraceFilter(TraceSubject(self.record))
        func take(_ record: InboundRecord, _ role: LifeReader.Role) {
            guard let event = reader.event(record, of: role) else { return }
            // The key of a ticket or of an entry of the ledger is not the record's.
            filter.take(event, key: [.parking, .ledger].contains(role) ? nil : record.key)
        }
        try scan.read(at: filter.places, take)
        let now = Timestamp.now.millisecondsSince1970
        // The clocks of publisher, worker and broker may differ.
        let margin: Int64 = 600_000
        let oldest = filter.events.compactMap(\.at).min().map { $0 - margin }
        let since =
            self.since.flatMap(SettingText.duration).map { now - $0.wholeMilliseconds }
            ?? oldest ?? now - 86_400_000
        for _ in 0..<Self.mostPasses {
            let breadth = filter.breadth
            try scan.read(since: since, take)
            guard filter.breadth > breadth, !scan.isCut, wish.count == 0 else { break }
        }
        // The input of a letter may be older than what was read.
        try scan.read(at: filter.places, take)
        return filter
    }

    private func show(_ lives: [RecordLife]) throws {
        let now = Timestamp.now.millisecondsSince1970
        for life in lives.suffix(self.count) {
            if self.json {
                Console.line(LifeText.json(life, now: now))
            } else {
                for line in LifeText.lines(life, now: now) { Console.line(line) }
            }
        }
        if lives.count > self.count, !self.json {
            Console.line("\(lives.count - self.count) older lives are not shown; --count shows more.")
        }
        guard lives.isEmpty else { return }
        Console.complain(
            "Nothing is found of it. Look with a longer --since, or with --worker and the settings of another worker."
        )
        throw ExitCode(1)
    }
}
