import Kafka
import Operations
import PushStatistics
import Records
import ServiceKit
import Testing
import WireFormats

@testable import PushArrivalWorker
@testable import StreamKit

/// The requirements of a push-arrival worker on its cluster, and the growth of its input by partitions.
struct PushGrowthTests {
    private static let now = Moment(monotonic: 0, wall: 1_795_248_000_000)

    private static func settings(_ text: String = "") throws -> PushArrivalSettings {
        let file = try SettingsFile(text: "kafka:\n  brokers: b:1\n\(text)", path: "w.yaml")
        return PushArrivalSettings(SettingsReader(file: file, overrides: []), PushArrivalProgram.identity)
    }

    private static func cluster(
        input: Int = 4,
        changelog: Int = 4,
        _ topics: [String: [String: String]] = [:]
    ) -> StreamCluster {
        var counts = Dictionary(
            uniqueKeysWithValues: ["result", "dead-letter", "parts", "stats"].map {
                ("push-arrival.\($0)", 4)
            }
        )
        counts["push-arrival"] = input
        counts["push-arrival.changelog"] = changelog
        return StreamCluster(
            id: "c",
            partitionCounts: counts,
            topicSettings: Dictionary(
                uniqueKeysWithValues: topics.map { ("push-arrival.\($0.key)", TopicSettings($0.value)) }
            )
        )
    }

    private static func faults(in cluster: StreamCluster, _ text: String = "") throws -> [String] {
        do {
            try PushTopics(try self.settings(text)).check(cluster)
            return []
        } catch let failure as PreflightFailure {
            return failure.faults
        }
    }

    /// Devices stay where they are known: what comes in beyond the changelog's partitions is sent on to them.
    @Test func anInputThatGrowsIsReadAndCountedWhereTheStateIs() throws {
        let settings = try Self.settings()
        let cluster = Self.cluster(input: 9, changelog: 4)
        let metrics = PushMetrics(factory: PrometheusRegistry())
        var homes: [Int32] = []
        for partition in 0..<9 as Range<Int32> {
            let task = ArrivalTask(partition, settings, cluster: cluster, metrics: metrics)
            let isHome = partition < 4
            #expect((task.memory == .none) == !isHome)
            let output = StreamOutput()
            for device in 0..<50 {
                task.process(Self.arrival(of: device, "m", in: partition), at: Self.now, output)
            }
            var sent: [OutboundRecord] = []
            output.drain { record in sent.append(copy record) }
            let moved = sent.filter { $0.topic == "push-arrival" }
            let answered = sent.filter { $0.topic == "push-arrival.result" }
            #expect(moved.count + answered.count == 50)
            #expect(isHome ? !answered.isEmpty : answered.isEmpty)
            #expect(moved.allSatisfy { ($0.partition ?? 9) < 4 && $0.partition != partition })
            homes += moved.compactMap(\.partition)
        }
        #expect(Set(homes) == [0, 1, 2, 3])
    }

    /// A partition that has no changelog counts nothing, whatever a publisher claims and leaves out: it would have
    /// nowhere to write it down, and its transactions would never end.
    @Test(arguments: [
        (#"{"type":"arrived","messageId":"m","deviceId":"d"}"#, "0/0/3", true),
        (#"{"type":"arrived","messageId":"m"}"#, nil, true),
        (#"{"type":"arrived","messageId":"m"}"#, "0/0/3", true),
        (#"{"type":"arrived","messageId":"m"\#(String(repeating: " ", count: 1_047_900))}"#, nil, false),
    ])
    func aPartitionWithoutAChangelogCountsNothing(value: String, claim: String?, isSentOn: Bool) throws {
        let settings = try Self.settings()
        let metrics = PushMetrics(factory: PrometheusRegistry())
        let task = ArrivalTask(7, settings, cluster: Self.cluster(input: 9, changelog: 4), metrics: metrics)
        let output = StreamOutput()
        let record = InboundRecord(
            topic: "push-arrival",
            partition: 7,
            offset: 5,
            timestamp: Self.now.wall,
            value: Array(value.utf8),
            headers: claim.map { [RecordHeader("flotilla.push.origin", $0)] } ?? []
        )
        task.process(record, at: Self.now, output)
        task.collect(at: Self.now, progress: Self.now.wall, output)
        var sent: [OutboundRecord] = []
        output.drain { record in sent.append(copy record) }
        #expect(sent.map(\.topic) == ["push-arrival" + (isSentOn ? "" : ".result")])
        #expect(sent.allSatisfy { $0.partition ?? 9 < 4 && $0.encodedBytesBound <= 1_048_000 })
        #expect(isSentOn == (sent.first?.headers.contains { $0.name == "flotilla.push.origin" } == true))
    }

    @Test func aChangelogWithFewerPartitionsIsToldAndOneWithMoreIsRefused() throws {
        #expect(try Self.faults(in: Self.cluster()).isEmpty)
        let topics = PushTopics(try Self.settings())
        #expect(topics.growth(in: Self.cluster()) == nil)
        let grown = Self.cluster(input: 9, changelog: 4)
        #expect(try Self.faults(in: grown).isEmpty)
        let told = try #require(topics.growth(in: grown))
        #expect(told.contains("9 partitions") && told.contains("in the first 4"))
        let faults = try Self.faults(in: Self.cluster(input: 4, changelog: 9))
        #expect(faults.count == 1 && faults.first?.contains("may not have more") == true)
    }

    /// Returns the record that tells of a push on a device. The number of the device is its offset too.
    private static func arrival(of device: Int, _ message: String, in partition: Int32) -> InboundRecord {
        let event = PushEvent(
            .arrived,
            messageID: message,
            deviceID: "d\(device)",
            serverMS: Self.now.wall
        )
        return InboundRecord(
            topic: "push-arrival",
            partition: partition,
            offset: Int64(device),
            timestamp: Self.now.wall,
            value: event.encoded(),
            headers: [RecordHeader("content-type", ValueFormat.protobuf.contentType)]
        )
    }

    // MARK: - A changelog that gets more partitions

    /// Returns the records of the state that a partition writes for some events.
    private static func state(
        of partition: Int32,
        _ cluster: StreamCluster,
        _ text: String = "",
        in topic: String = "changelog"
    ) throws -> [OutboundRecord] {
        let metrics = PushMetrics(factory: PrometheusRegistry())
        let settings = try Self.settings(text)
        let task = ArrivalTask(partition, settings, cluster: cluster, metrics: metrics)
        let output = StreamOutput()
        for device in 0..<50 {
            task.process(Self.arrival(of: device, "m\(device % 7)", in: partition), at: Self.now, output)
        }
        task.collect(at: Self.now, progress: Self.now.wall, output)
        // A part is told of some time after its first event.
        let later = Moment(monotonic: 60_000_000_000, wall: Self.now.wall + 60_000)
        task.collect(at: later, progress: later.wall, output)
        var sent: [OutboundRecord] = []
        output.drain { record in sent.append(copy record) }
        return sent.filter { $0.topic == "push-arrival.\(topic)" }
    }

    private static func spread(_ cluster: StreamCluster, _ text: String = "") throws -> StateSpread {
        let application = PushApplication(
            try Self.settings(text),
            cluster,
            metrics: PushMetrics(factory: PrometheusRegistry())
        )
        return try #require(application.spreads.first)
    }

    /// The devices would count again in other partitions, and nothing said so.
    @Test func aStateTellsTheNumberOfPartitionsThatItWasWrittenWith() throws {
        let records = try Self.state(of: 1, Self.cluster(input: 6, changelog: 4))
        let (grown, kept) = (Self.cluster(input: 6, changelog: 6), "  changelog_partitions: 4\n")
        #expect(!records.isEmpty)
        for record in records {
            let read = InboundRecord(topic: record.topic, partition: 1, offset: 0, headers: record.headers)
            #expect(try Self.spread(Self.cluster(input: 6, changelog: 4)).failure(of: read) == nil)
            let failure = try #require(try Self.spread(grown).failure(of: read))
            #expect(failure.description.contains("'push-arrival.changelog' is used with 6"))
            #expect(try Self.spread(grown, kept).failure(of: read) == nil)
        }
    }

    /// Returns the partition of each message. A key ends with the source and the term of its part.
    private static func places(_ parts: [OutboundRecord]) -> [[UInt8]: Int32?] {
        Dictionary(
            parts.map { part in
                let message = (part.key ?? []).prefix { $0 != UInt8(ascii: "#") }
                return (Array(message), part.partition)
            }
        ) { $1 }
    }

    /// A message would be added up in two places, each with a part of its devices.
    @Test func thePartsOfAMessageStayTogether() throws {
        var grown = Self.cluster()
        grown.partitionCounts["push-arrival.parts"] = 9
        let kept = "  parts_partitions: 4\n"
        func spread(_ text: String = "") throws -> StateSpread {
            try Self.settings(text).spreadOfParts(in: grown.partitionCounts)
        }
        let parts = try Self.state(of: 1, Self.cluster(), in: "parts")
        #expect(!parts.isEmpty)
        for part in parts {
            let read = InboundRecord(topic: part.topic, partition: 0, offset: 0, headers: part.headers)
            let failure = try #require(try spread().failure(of: read))
            #expect(failure.description.contains("'push-arrival.parts' is used with 9"))
            #expect(try spread(kept).failure(of: read) == nil)
        }
        let places = Self.places(try Self.state(of: 1, grown, kept, in: "parts"))
        #expect(places == Self.places(parts) && places.count > 2)
        #expect(try Self.places(Self.state(of: 1, grown, in: "parts")) != places)
        let application = PushApplication(
            try Self.settings(),
            grown,
            metrics: PushMetrics(factory: PrometheusRegistry())
        )
        #expect(application.spreads.map(\.homes) == [4, 9])
        let faults = try Self.faults(in: Self.cluster(), "  parts_partitions: 5\n")
        #expect(faults.count == 1 && faults.first?.contains("kafka.parts_partitions is 5") == true)
    }

    @Test func theSettingKeepsDevicesWhereTheyWere() throws {
        let (grown, kept) = (Self.cluster(input: 6, changelog: 6), "  changelog_partitions: 4\n")
        #expect(try Self.state(of: 4, grown).isEmpty == false)
        #expect(try Self.state(of: 4, grown, kept).isEmpty)
        #expect(
            try Self.state(of: 1, grown, kept).compactMap(\.value?.count).sorted()
                == Self.state(of: 1, Self.cluster(input: 6, changelog: 4)).compactMap(\.value?.count).sorted()
        )
        #expect(try Self.faults(in: grown, kept).isEmpty)
        #expect(PushTopics(try Self.settings(kept)).growth(in: grown)?.contains("in the first 4") == true)
        // The changelog may then have more than the input.
        #expect(try Self.faults(in: Self.cluster(input: 4, changelog: 6), kept).isEmpty)
        let faults = try Self.faults(in: Self.cluster(input: 6, changelog: 3), kept)
        #expect(faults.count == 1 && faults.first?.contains("changelog_partitions is 4") == true)
    }

    /// A worker must not find out by counting repeats.
    @Test(arguments: [
        ("changelog", ["cleanup.policy": "compact"], "compacted"),
        ("result", ["cleanup.policy": "compact,delete"], "The result topic"),
        ("dead-letter", ["cleanup.policy": "compact"], "The dead-letter topic"),
        ("changelog", ["cleanup.policy": "delete", "retention.ms": "349199999"], "349200000 or more"),
        ("result", ["max.message.bytes": "500000"], "kafka.message_limit is 1048000"),
        ("stats", ["max.message.bytes": "1047999"], "max.message.bytes"),
    ])
    func refusesTopicsThatForgetOrAreTooNarrow(end: String, told: [String: String], word: String) throws {
        let faults = try Self.faults(in: Self.cluster([end: told]))
        #expect(faults.count == 1 && faults.first?.contains(word) == true, "\(faults)")
    }

    @Test func takesTopicsThatAreAsTheReadmeSays() throws {
        let good = [
            "changelog": ["cleanup.policy": "delete", "retention.ms": "349200000"],
            "result": ["cleanup.policy": "delete", "max.message.bytes": "1048588"],
            "parts": ["cleanup.policy": "compact"],
            "stats": ["cleanup.policy": "compact"],
        ]
        #expect(try Self.faults(in: Self.cluster(good)).isEmpty)
        #expect(
            try Self.faults(in: Self.cluster(good), "push:\n  allowed_lateness: 30d\n").first?
                .contains("2682000000 or more") == true
        )
        #expect(
            try Self.faults(
                in: Self.cluster(["changelog": ["cleanup.policy": "delete", "retention.ms": "-1"]])
            ).isEmpty
        )
    }
}
