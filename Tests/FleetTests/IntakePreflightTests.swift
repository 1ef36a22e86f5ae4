import ActivationIntake
import Kafka
import Operations
import ServiceKit
import Testing
import WorkerKit

@testable import Fleet

/// The requirements of the intake on its topics. Each fault ends with the command that mends it.
struct IntakePreflightTests {
    private static func preflight(_ text: String = "") throws -> IntakePreflight {
        let whole = """
            kafka: {brokers: "b:1"}
            sdk: {events_topic: sdk-events}
            attribution: {report: match}
            \(text)
            """
        let reader = SettingsReader(file: try SettingsFile(text: whole, path: "i.yaml"), overrides: [])
        let settings = IntakeSettings(reader)
        try reader.finish()
        return IntakePreflight(settings)
    }

    private static let topics = [
        "activation", "activation.home", "activation.home.changelog", "activation.due", "activation.result",
        "activation.dead-letter", "sdk-upload", "sdk-upload.result", "activation-click", "sdk-events",
    ]

    private static let counts = Dictionary(uniqueKeysWithValues: topics.map { ($0, 3) })

    @Test func theTopicsOfTheArticleWillDo() throws {
        let preflight = try Self.preflight()
        #expect(preflight.faults(in: Self.counts).faults == [])
        #expect(Set(preflight.describedTopics) == Set(Self.topics))
    }

    @Test(arguments: topics)
    func missesEveryTopicAndSaysHowToCreateIt(topic: String) throws {
        var counts = Self.counts
        counts[topic] = nil
        let (faults, mayPass) = try Self.preflight().faults(in: counts)
        let fault = try #require(faults.first)
        #expect(faults.count == 1 && mayPass)
        #expect(fault.contains("'\(topic)' does not exist"))
        let settings =
            topic.hasSuffix("changelog")
            ? "cleanup.policy=compact --config message.timestamp.type=LogAppendTime" : "cleanup.policy=delete"
        let partitions = topic == "activation" ? 4 : 3
        #expect(
            fault.hasSuffix(
                "kafka-topics.sh --bootstrap-server b:1 --create --topic \(topic) --partitions \(partitions) "
                    + "--config \(settings)"
            ),
            "\(fault)"
        )
    }

    @Test func wantsTheTopicsOnlyOfWhatIsSet() throws {
        let reader = SettingsReader(
            file: try SettingsFile(text: "kafka: {brokers: \"b:1\"}", path: "i.yaml"),
            overrides: []
        )
        let topics = Set(IntakePreflight(IntakeSettings(reader)).describedTopics)
        #expect(
            topics.isDisjoint(with: ["sdk-upload", "sdk-upload.result", "activation-click", "sdk-events"])
        )
    }

    @Test(arguments: [
        ("activation.home", "activation.home.changelog"), ("activation.home.changelog", "activation.home"),
    ])
    func homeAndChangelogHaveAsManyPartitions(large: String, small: String) throws {
        var counts = Self.counts
        counts[large] = 5
        let (faults, mayPass) = try Self.preflight().faults(in: counts)
        #expect(faults.count == 1 && !mayPass)
        #expect(faults.first?.hasSuffix("--alter --topic \(small) --partitions 5") == true, "\(faults)")
    }

    @Test func noMoreHomesThanPartitions() throws {
        let text = "    changelog_partitions: 4"
        let whole = "kafka:\n    brokers: b:1\n\(text)\n"
        let reader = SettingsReader(file: try SettingsFile(text: whole, path: "i.yaml"), overrides: [])
        let preflight = IntakePreflight(IntakeSettings(reader))
        let (faults, mayPass) = preflight.faults(in: Self.counts)
        #expect(faults.count == 1 && !mayPass)
        #expect(faults.first?.contains("kafka.changelog_partitions is 4") == true)
        #expect(preflight.faults(in: Self.counts.mapValues { $0 + 1 }).faults == [])
    }

    @Test func noTopicHasTwoRoles() throws {
        let (faults, mayPass) = try Self.preflight("clicks: {topic: sdk-upload}").faults(in: Self.counts)
        #expect(faults.count == 1 && !mayPass && faults[0].contains("cannot be the"))
    }

    /// A limit of a topic on the times of its records, beside inputs that keep theirs for so long and take them two hours
    /// early.
    struct TimeLimit: Sendable {
        var topic: String
        var name: String
        var limit: Int64
        var retention: Int64 = 604_800_000
        /// Further settings of the topic.
        var others: [String: String] = [:]
        /// Further settings of the inputs.
        var ofInputs: [String: String] = [:]
        /// The limit that the command sets; nil if there is no fault.
        var needed: Int64?
    }

    static let timeLimits: [TimeLimit] = [
        TimeLimit(topic: "activation.due", name: "before", limit: 3_600_000, needed: 605_100_000),
        TimeLimit(topic: "activation.due", name: "before", limit: 605_100_000),
        TimeLimit(
            topic: "activation.due",
            name: "before",
            limit: 605_100_000,
            retention: -1,
            needed: 3_153_600_000_000
        ),
        TimeLimit(topic: "activation.due", name: "before", limit: 9_223_372_036_854, retention: -1),
        TimeLimit(
            topic: "activation.due",
            name: "before",
            limit: 605_100_000,
            ofInputs: ["segment.ms": "60000"],
            needed: 605_160_000
        ),
        TimeLimit(
            topic: "sdk-events",
            name: "before",
            limit: 3_600_000,
            others: ["message.timestamp.type": "LogAppendTime"]
        ),
        TimeLimit(
            topic: "activation.home",
            name: "after",
            limit: 3_600_000,
            ofInputs: ["message.timestamp.type": "LogAppendTime"]
        ),
        TimeLimit(
            topic: "activation.home",
            name: "difference",
            limit: 3_600_000,
            others: [
                "message.timestamp.before.max.ms": "605100000", "message.timestamp.after.max.ms": "7200000",
            ]
        ),
        TimeLimit(
            topic: "activation.home",
            name: "after",
            limit: 3_600_000,
            ofInputs: ["message.timestamp.difference.max.ms": "60000"],
            needed: 7_200_000
        ),
        TimeLimit(topic: "activation.home", name: "difference", limit: 3_600_000, needed: 605_100_000),
        TimeLimit(topic: "sdk-events", name: "before", limit: 3_600_000, needed: 605_100_000),
        TimeLimit(topic: "activation.home.changelog", name: "after", limit: 3_600_000, needed: 7_200_000),
        TimeLimit(topic: "activation.home", name: "after", limit: 7_200_000),
        TimeLimit(topic: "activation.result", name: "before", limit: 3_600_000),
    ]

    /// A record that is passed on keeps its time. With a limit of an hour on the due topic, an outage of two hours
    /// once stopped the intake for good.
    @Test(arguments: timeLimits)
    func seesTopicsThatRefuseTimes(of row: TimeLimit) throws {
        let told = ["retention.ms": "\(row.retention)", "message.timestamp.after.max.ms": "7200000"]
        let input = TopicSettings(told.merging(row.ofInputs) { $1 })
        var all = ["activation": input, "sdk-upload": input, "activation-click": input]
        let limit = ["message.timestamp.\(row.name).max.ms": "\(row.limit)"]
        all[row.topic] = TopicSettings(limit.merging(row.others) { $1 })
        let faults = try Self.preflight().outlook(all).faults
        let command = row.needed.map { "--add-config message.timestamp.\(row.name).max.ms=\($0)" }
        #expect(faults.count == (command == nil ? 0 : 1), "\(faults)")
        if let command { #expect(faults.first?.hasSuffix(command) == true, "\(faults)") }
    }

    @Test(arguments: [
        ("activation.home", ["cleanup.policy": "compact"], 1, 0),
        ("activation.due", ["cleanup.policy": "compact,delete"], 1, 0),
        ("activation.result", ["cleanup.policy": "compact"], 1, 0),
        ("sdk-upload.result", ["cleanup.policy": "compact"], 1, 0),
        ("activation.dead-letter", ["cleanup.policy": "compact"], 1, 0),
        ("sdk-events", ["cleanup.policy": "compact"], 0, 0),
        ("activation", ["cleanup.policy": "compact"], 0, 1),
        ("activation.home.changelog", ["cleanup.policy": "delete", "retention.ms": "86400000"], 1, 0),
        ("activation.home.changelog", ["cleanup.policy": "delete", "retention.ms": "2592000000"], 0, 1),
        (
            "activation.home.changelog", ["cleanup.policy": "compact,delete", "retention.ms": "86400000"], 1,
            0
        ),
        ("activation.home.changelog", ["cleanup.policy": "compact"], 0, 0),
        ("activation.home", ["cleanup.policy": "delete", "max.message.bytes": "1000"], 1, 0),
        ("activation.home", ["message.timestamp.type": "LogAppendTime"], 1, 0),
        ("activation.due", ["message.timestamp.type": "LogAppendTime"], 1, 0),
        ("activation.home.changelog", ["message.timestamp.type": "LogAppendTime"], 0, 0),
        ("activation", ["message.timestamp.type": "LogAppendTime"], 0, 0),
        ("sdk-upload", ["cleanup.policy": "delete", "max.message.bytes": "1000"], 0, 0),
    ])
    func seesTopicsThatForget(topic: String, told: [String: String], faults: Int, warnings: Int) throws {
        let outlook = try Self.preflight().outlook([topic: TopicSettings(told)])
        #expect(outlook.faults.count == faults && outlook.warnings.count == warnings, "\(outlook)")
        for sentence in outlook.faults + outlook.warnings {
            #expect(sentence.contains("kafka-configs.sh --bootstrap-server b:1 --alter --topic \(topic) "))
        }
        #expect(outlook.unknown.count == Self.topics.count - 1)
    }

    /// The worker learns from the changelog how far its clock is ahead, and works without that too.
    @Test(arguments: ["CreateTime", "LogAppendTime"])
    func aChangelogWithoutTheBrokersTimeIsANote(type: String) throws {
        let topic = "activation.home.changelog"
        let told = ["cleanup.policy": "compact", "message.timestamp.type": type]
        let outlook = try Self.preflight().outlook([topic: TopicSettings(told)])
        #expect(outlook.faults + outlook.warnings == [])
        #expect(outlook.notes.count == (type == "CreateTime" ? 1 : 0))
        #expect(outlook.notes.allSatisfy { $0.contains("'\(topic)'") && $0.contains("'LogAppendTime'") })
    }

    // MARK: - The worker beside it

    private static func warnings(_ topic: String, with topics: [String]) throws -> [String] {
        let text = "kafka: {brokers: \"b:1\", topic: \(topic), parked_topic: parked}"
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "w.yaml"), overrides: [])
        var check = PreflightCommand.check(WorkerSettings(reader, Roster.activation), Roster.activation)
        let counts = Dictionary(uniqueKeysWithValues: topics.map { ($0, 1) })
        check.meet(ClusterMetadata(partitionCounts: counts))
        return check.outlook([:]).warnings
    }

    /// Each activation would be reported twice: by way of the intake, and directly.
    @Test func aWorkerBesideAnIntakeIsTold() throws {
        #expect(try Self.warnings("activation", with: ["parked"]) == [])
        let warnings = try Self.warnings("activation", with: ["parked", "activation.home"])
        #expect(warnings.count == 1 && warnings[0].contains("kafka.topic to 'activation.due'"))
    }

    @Test func aWorkerBehindNoIntakeIsTold() throws {
        #expect(try Self.warnings("activation.due", with: ["parked", "activation.home"]) == [])
        let warnings = try Self.warnings("activation.due", with: ["parked"])
        #expect(warnings.count == 1 && warnings[0].contains("start the intake"))
    }
}
