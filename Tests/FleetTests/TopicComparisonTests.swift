import ActivationIntake
import Kafka
import Operations
import ServiceKit
import Testing
import WorkerKit
import WorkerTestSupport

@testable import Fleet

/// The comparison of a worker's topics with a cluster, by hand-written expectations.
struct TopicComparisonTests {
    private static func reader(_ text: String) throws -> SettingsReader {
        SettingsReader(
            file: try SettingsFile(
                text: "kafka: {brokers: \"b:1\", message_limit: 2000000}\n" + text,
                path: "w.yaml"
            ),
            overrides: []
        )
    }

    private static func calls(_ text: String = "") throws -> [WantedTopic] {
        let settings = WorkerSettings(try self.reader(text), Roster.activation)
        return WantedTopic.topics(of: PreflightCommand.check(settings, Roster.activation))
    }

    private static func intake() throws -> [WantedTopic] {
        let text = "sdk: {events_topic: sdk-events}\nattribution: {report: match}\n"
        return WantedTopic.topics(of: IntakeSettings(try self.reader(text)))
    }

    private static func push() throws -> [WantedTopic] {
        PushPreflight(try self.reader("forward: {enabled: true}\n"), Roster.pushArrival).wanted
    }

    private func compare(
        _ topics: [WantedTopic],
        _ counts: [String: Int] = [:],
        _ settings: [String: [String: String]] = [:],
        replicas: [String: Int] = [:],
        _ defaults: TopicComparison.Defaults = TopicComparison.Defaults(partitions: 4)
    ) -> [String: [String]] {
        let comparison = TopicComparison(
            topics,
            in: ClusterMetadata(partitionCounts: counts, replicaCounts: replicas),
            settings: settings.mapValues { TopicSettings($0) },
            defaults: defaults
        )
        let lines = comparison.findings.map { ($0.topic.name, $0.changes.map(\.line) + $0.refusals) }
        #expect(comparison.isFine == lines.allSatisfy(\.1.isEmpty))
        #expect(comparison.changeCount == comparison.findings.map(\.changes.count).reduce(0, +))
        return Dictionary(uniqueKeysWithValues: lines.filter { !$0.1.isEmpty })
    }

    /// A cluster after all changes of a comparison.
    private func made(_ topics: [WantedTopic]) -> (
        counts: [String: Int], settings: [String: [String: String]]
    ) {
        var (counts, settings): ([String: Int], [String: [String: String]]) = ([:], [:])
        let comparison = TopicComparison(
            topics,
            in: ClusterMetadata(partitionCounts: [:]),
            settings: [:],
            defaults: TopicComparison.Defaults(partitions: 4)
        )
        for finding in comparison.findings {
            for case .create(let count, let values) in finding.changes {
                counts[finding.topic.name] = count
                settings[finding.topic.name] = values
            }
        }
        return (counts, settings)
    }

    @Test func anEmptyClusterGetsEveryTopic() throws {
        let lines = self.compare(try Self.calls("worker: {ordering: none}\nretry: {topics: \"1m, 2h\"}\n"))
        let lasting = "create, partitions 4, cleanup.policy=delete, max.message.bytes=2000000"
        #expect(
            lines == [
                "activation": ["create, partitions 4, cleanup.policy=delete"],
                "activation.result": [lasting], "activation.dead-letter": [lasting],
                "activation.parked": [
                    "create, partitions 4, cleanup.policy=compact, message.timestamp.type=LogAppendTime"
                ],
                "activation.retry.1m": [lasting + ", retention.bytes=-1, retention.ms=3660000"],
                "activation.retry.2h": [lasting + ", retention.bytes=-1, retention.ms=14400000"],
            ]
        )
    }

    /// A worker that is made so starts, and a second run finds nothing.
    @Test(arguments: ["calls", "intake", "push"])
    func theTopicsThatAreMadePassTheWorkersOwnCheck(worker: String) throws {
        let topics =
            switch worker {
            case "calls": try Self.calls("worker: {ordering: none}\nretry: {topics: \"1m, 2h\"}\n")
            case "intake": try Self.intake()
            default: try Self.push()
            }
        let (counts, settings) = self.made(topics)
        #expect(counts.count == topics.count)
        #expect(self.compare(topics, counts, settings) == [:])
        let told = settings.mapValues { TopicSettings($0) }
        let outlook: Preflight.Outlook
        switch worker {
        case "calls":
            let text = "worker: {ordering: none}\nretry: {topics: \"1m, 2h\"}\n"
            let reader = WorkerSettings(try Self.reader(text), Roster.activation)
            var check = PreflightCommand.check(reader, Roster.activation)
            check.meet(ClusterMetadata(partitionCounts: counts))
            #expect(check.faults(in: ClusterMetadata(partitionCounts: counts)) == [])
            outlook = check.outlook(told)
        case "intake":
            let text = "sdk: {events_topic: sdk-events}\nattribution: {report: match}\n"
            let check = IntakePreflight(IntakeSettings(try Self.reader(text)))
            #expect(check.faults(in: counts).faults == [])
            outlook = check.outlook(told)
        default:
            let check = PushPreflight(try Self.reader("forward: {enabled: true}\n"), Roster.pushArrival)
            #expect(check.faults(in: ClusterMetadata(partitionCounts: counts)) == [])
            outlook = check.outlook(told)
        }
        #expect(outlook.faults + outlook.warnings + outlook.unknown + outlook.notes == [])
    }

    @Test func newTopicsGetAsManyPartitionsAsTheInputHas() throws {
        let lines = self.compare(
            try Self.calls(),
            ["activation": 7],
            ["activation": ["cleanup.policy": "delete"]]
        )
        #expect(lines.count == 3)
        #expect(lines.values.allSatisfy { $0[0].hasPrefix("create, partitions 7,") })
    }

    @Test func aParkingTopicGrowsWithItsInputAndTheOthersStay() throws {
        let topics = try Self.calls()
        var (counts, settings) = self.made(topics)
        counts["activation"] = 9
        counts["activation.result"] = 1
        #expect(self.compare(topics, counts, settings) == ["activation.parked": ["add partitions: 4 -> 9"]])
        counts["activation.parked"] = 12
        settings["activation.parked"] = ["cleanup.policy": "delete"]
        #expect(
            self.compare(topics, counts, settings) == [
                "activation.parked": ["set cleanup.policy: delete -> compact"]
            ]
        )
    }

    /// The state of a worker lies in the partitions of its changelog.
    @Test func aChangelogIsNeverGrownAfterItsInput() throws {
        let topics = try Self.push()
        var (counts, settings) = self.made(topics)
        counts["push-arrival"] = 9
        #expect(self.compare(topics, counts, settings) == [:])
        counts["push-arrival"] = 2
        let lines = self.compare(topics, counts, settings)
        #expect(lines.keys.sorted() == ["push-arrival.changelog"])
        #expect(
            lines.values.allSatisfy { $0.count == 1 && $0[0].contains("partitions are never taken away") }
        )
        settings["push-arrival.changelog"]?["retention.ms"] = "1000"
        counts["push-arrival"] = 4
        #expect(
            self.compare(topics, counts, settings) == [
                "push-arrival.changelog": ["set retention.ms: 1000 -> 349200000"]
            ]
        )
    }

    /// A compacted topic may also delete what is old enough.
    @Test func aCompactedTopicMayAlsoDelete() throws {
        let topics = try Self.push()
        let (counts, made) = self.made(topics)
        #expect(made["push-arrival.parts"]?["cleanup.policy"] == "compact,delete")
        #expect(made["push-arrival.parts"]?["retention.ms"] == "5184000000")
        var settings = made
        settings["push-arrival.parts"]?["cleanup.policy"] = "compact"
        settings["push-arrival.parts"]?["retention.ms"] = "1000"
        settings["push-arrival.stats"]?["cleanup.policy"] = "delete,compact"
        #expect(self.compare(topics, counts, settings) == [:])
        settings["push-arrival.parts"]?["cleanup.policy"] = "delete"
        #expect(
            self.compare(topics, counts, settings) == [
                "push-arrival.parts": [
                    "set cleanup.policy: delete -> compact,delete", "set retention.ms: 1000 -> 5184000000",
                ]
            ]
        )
        let intake = try Self.intake()
        var (homes, policies) = self.made(intake)
        homes["activation"] = 8
        #expect(policies["activation.home.changelog"]?["retention.ms"] == nil)
        policies["activation.home.changelog"]?["cleanup.policy"] = "compact,delete"
        policies["activation.home.changelog"]?["retention.ms"] = "604800000"
        #expect(
            self.compare(intake, homes, policies) == [
                "activation.home.changelog": ["set retention.ms: 604800000 -> 2592000000"]
            ]
        )
    }

    @Test func theSmallerOfHomeAndChangelogGrows() throws {
        let topics = try Self.intake()
        var (counts, settings) = self.made(topics)
        counts["activation.home"] = 6
        var lines = self.compare(topics, counts, settings)
        #expect(lines["activation.home.changelog"] == ["add partitions: 4 -> 6"])
        #expect(lines["activation.home"]?.count == 1)
        counts["activation.home.changelog"] = 8
        lines = self.compare(topics, counts, settings)
        #expect(lines["activation.home"] == ["add partitions: 6 -> 8"])
        // One that does not exist yet gets as many as the other.
        counts["activation.home"] = nil
        settings["activation.home"] = nil
        lines = self.compare(topics, counts, settings)
        #expect(lines["activation.home"]?[0].hasPrefix("create, partitions 8,") == true)
    }

    /// Records that somebody else has published must not begin to be deleted, nor a topic of theirs change.
    @Test func nothingIsTakenAway() throws {
        let topics = try Self.calls()
        var (counts, settings) = self.made(topics)
        settings["activation"] = ["cleanup.policy": "compact,delete", "max.message.bytes": "5000000"]
        settings["activation.result"] = [
            "cleanup.policy": "compact", "max.message.bytes": "9000000", "retention.ms": "-1",
        ]
        settings["activation.dead-letter"] = ["cleanup.policy": "delete", "max.message.bytes": "1000"]
        counts["activation.result"] = 100
        let lines = self.compare(topics, counts, settings)
        #expect(lines.keys.sorted() == ["activation", "activation.dead-letter", "activation.result"])
        #expect(
            lines["activation"] == [
                "Publishers fill it, so it is not changed here; it would need: set cleanup.policy: compact,delete -> delete."
            ]
        )
        #expect(lines["activation.result"]?.count == 1)
        #expect(lines["activation.result"]?[0].contains("set that yourself") == true)
        #expect(lines["activation.dead-letter"] == ["set max.message.bytes: 1000 -> 2000000"])
    }

    @Test func theLeastReplicasInSyncAreOnlyLookedAtIfTheyAreGiven() throws {
        let topics = try Self.calls()
        var (counts, settings) = self.made(topics)
        for name in settings.keys {
            settings[name]?["min.insync.replicas"] = name == "activation.parked" ? "3" : "1"
        }
        #expect(self.compare(topics, counts, settings) == [:])
        let defaults = TopicComparison.Defaults(partitions: 4, leastInSync: 2)
        let lines = self.compare(topics, counts, settings, defaults)
        #expect(lines["activation.result"] == ["set min.insync.replicas: 1 -> 2"])
        #expect(lines["activation"]?[0].contains("would need: set min.insync.replicas: 1 -> 2") == true)
        #expect(lines["activation.parked"] == nil)
        counts = [:]
        #expect(
            self.compare(topics, counts, [:], defaults).values.allSatisfy {
                $0[0].contains("min.insync.replicas=2")
            }
        )
    }

    /// Copies are not made here: that moves data between brokers.
    @Test func tooFewCopiesAreTold() throws {
        let topics = try Self.calls()
        var (counts, settings) = self.made(topics)
        let replicas = counts.mapValues { _ in 2 }.merging(["activation.result": 1]) { $1 }
        settings["activation.result"]?["min.insync.replicas"] = "2"
        settings["activation.dead-letter"]?["min.insync.replicas"] = "2"
        let mute =
            "It has 1 copy of a partition and min.insync.replicas 2: it takes no record that all copies have to acknowledge."
        #expect(self.compare(topics, counts, settings, replicas: replicas) == ["activation.result": [mute]])
        let defaults = TopicComparison.Defaults(partitions: 4, replicas: 2)
        let few = "It has 1 copy of a partition and should have 2: kafka-reassign-partitions.sh makes more."
        #expect(
            self.compare(topics, counts, settings, replicas: replicas, defaults) == [
                "activation.result": [few, mute]
            ]
        )
        counts = [:]
        #expect(
            self.compare(topics, counts, [:], replicas: [:], defaults).values.allSatisfy { $0.count == 1 }
        )
    }

    /// A worker needs a retention of some topics; an operator may wish for more of all that delete by age.
    @Test func everyTopicKeepsItsRecordsAsLongAsTheOperatorWishes() throws {
        let topics = try Self.calls("worker: {ordering: none}\nretry: {topics: \"1m, 2h\"}\n")
        var (counts, settings) = self.made(topics)
        for name in settings.keys where settings[name]?["retention.ms"] == nil {
            settings[name]?["retention.ms"] = "604800000"
        }
        settings["activation.dead-letter"]?["retention.ms"] = "-1"
        #expect(self.compare(topics, counts, settings) == [:])
        var defaults = TopicComparison.Defaults(partitions: 4, leastRetention: .seconds(3 * 3_600))
        // The retry topic of a minute needs an hour and a minute, that of two hours four hours.
        #expect(
            self.compare(topics, counts, settings, defaults) == [
                "activation.retry.1m": ["set retention.ms: 3660000 -> 10800000"]
            ]
        )
        defaults.leastRetention = .seconds(14 * 86_400)
        let lines = self.compare(topics, counts, settings, defaults)
        #expect(lines["activation.result"] == ["set retention.ms: 604800000 -> 1209600000"])
        #expect(lines["activation"]?[0].contains("would need: set retention.ms") == true)
        #expect(lines["activation.dead-letter"] == nil && lines["activation.parked"] == nil)
        counts = [:]
        let created = self.compare(topics, counts, [:], defaults)
        #expect(created["activation.result"]?[0].contains("retention.ms=1209600000") == true)
        #expect(created["activation.parked"]?[0].contains("retention") == false)
    }

    /// A client without the right to describe a topic must not call it fine.
    @Test func aTopicThatIsNotDescribedIsNotFine() throws {
        let topics = try Self.calls()
        let (counts, all) = self.made(topics)
        var settings = all
        settings["activation.result"] = nil
        let lines = self.compare(topics, counts, settings)
        #expect(lines.keys.sorted() == ["activation.result"])
    }

    /// The gateway's own check-config is the judge of its settings; here the topics of its routes count.
    @Test func aGatewaysTopicsAreThoseOfItsRoutes() throws {
        let text = """
            kafka: {brokers: "b:1", message_limit: 2000000, linger: 1ms, partitioner: crc32, delivery_time: 5s}
            gateway: {routes: "uploads, clicks", uploads_topic: sdk, port: 0}
            """
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "w.yaml"), overrides: [])
        let topics = GatewayTopics(reader).wanted
        #expect(PreflightCommand.faults(of: reader) == [])
        #expect(topics.map(\.name) == ["sdk", "activation-click"])
        #expect(topics.map(\.mayBeRaised) == [true, false] && topics.allSatisfy(\.isInput))
        let created = "create, partitions 4, cleanup.policy=delete, max.message.bytes="
        #expect(
            self.compare(topics) == ["sdk": [created + "2000000"], "activation-click": [created + "1048588"]]
        )
        let short = ["cleanup.policy": "delete", "max.message.bytes": "1000000"]
        let lines = self.compare(
            topics,
            ["sdk": 9, "activation-click": 1],
            ["sdk": short, "activation-click": short]
        )
        #expect(lines["sdk"] == ["set max.message.bytes: 1000000 -> 2000000"])
        #expect(lines["activation-click"]?.count == 1)
        #expect(lines["activation-click"]?.first?.hasPrefix("Publishers fill it") == true)
        let unset = GatewayTopics(try Self.reader("")).wanted.map(\.name)
        #expect(unset == ["sdk-upload", "push-arrival", "activation-click"])
    }

    /// An intake may have made the topic of uploads before, with Kafka's default. The gateway works all the same.
    @Test func aTopicWithLessRoomThanAnUploadIsRaisedAndIsNoFault() throws {
        let gateway = GatewayTopics(try Self.reader(""))
        let counts = ["sdk-upload": 4, "push-arrival": 4, "activation-click": 4]
        let usual = ["cleanup.policy": "delete", "max.message.bytes": "1048588"]
        let settings = counts.mapValues { _ in usual }
        let raise = "set max.message.bytes: 1048588 -> 2000000"
        #expect(self.compare(gateway.wanted, counts, settings) == ["sdk-upload": [raise]])
        let cluster = ClusterMetadata(partitionCounts: counts)
        let outlook = gateway.outlook(in: cluster, settings.mapValues { TopicSettings($0) })
        #expect(outlook.faults.isEmpty && outlook.warnings.count == 1)
        #expect(outlook.warnings.first?.hasPrefix("sdk-upload: \(raise); until then ") == true)
        // Without the right to describe topics nothing is known, and nothing is a fault.
        let untold = gateway.outlook(in: cluster, [:])
        #expect(untold.faults.isEmpty && untold.warnings.isEmpty && untold.unknown.count == 3)
        let compacted = settings.mapValues { _ in TopicSettings(["cleanup.policy": "compact"]) }
        #expect(gateway.outlook(in: cluster, compacted).faults.count == 3)
        #expect(gateway.faults(in: ClusterMetadata(partitionCounts: ["sdk-upload": 4])).count == 2)
    }

    /// The defaults are those of the gateway's settings.
    @Test func aGatewaysTopicsAreDocumentedSo() throws {
        let table = try Documents.section("settings: gateway")
        for (setting, topic) in [
            ("uploads_topic", "sdk-upload"), ("push_arrivals_topic", "push-arrival"),
            ("clicks_topic", "activation-click"),
        ] { #expect(table.contains("| `gateway.\(setting)` |") && table.contains("| `\(topic)` |")) }
        for name in ["delivery_time", "linger", "partitioner", "message_limit"] {
            #expect(table.contains("| `kafka.\(name)` |"))
        }
    }
}
