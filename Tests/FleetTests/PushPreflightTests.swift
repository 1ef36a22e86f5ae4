import Kafka
import Operations
import ServiceKit
import StreamKit
import Testing

@testable import Fleet

/// The requirements on the topics of a worker whose state is in them.
struct PushPreflightTests {
    private static func preflight(_ text: String = "") throws -> PushPreflight {
        let file = try SettingsFile(text: "kafka:\n  brokers: b:1\n\(text)", path: "w.yaml")
        return PushPreflight(SettingsReader(file: file, overrides: []), Roster.pushArrival)
    }

    /// As `flotilla-lab broker` makes them.
    private static let counts = Dictionary(
        uniqueKeysWithValues: Roster.topics.map { ($0.name, $0.partitions) }
    )

    @Test func theTopicsOfTheRosterWillDo() throws {
        let cluster = ClusterMetadata(partitionCounts: Self.counts)
        #expect(try Self.preflight().faults(in: cluster) == [])
        #expect(try Self.preflight("forward:\n  enabled: true\n").faults(in: cluster) == [])
    }

    @Test(arguments: ["", ".result", ".dead-letter", ".changelog", ".parts", ".stats"])
    func missesEveryTopic(end: String) throws {
        var counts = Self.counts
        counts["push-arrival\(end)"] = nil
        let faults = try Self.preflight().faults(in: ClusterMetadata(partitionCounts: counts))
        #expect(faults.count == 1 && faults.first?.contains("'push-arrival\(end)' does not exist") == true)
    }

    @Test func wantsTheForwardTopicOnlyForForwarding() throws {
        var counts = Self.counts
        counts["push-arrival.forward"] = nil
        let cluster = ClusterMetadata(partitionCounts: counts)
        #expect(try Self.preflight().faults(in: cluster) == [])
        #expect(try Self.preflight("forward:\n  enabled: true\n").faults(in: cluster).count == 1)
    }

    /// An input that grows is read all the same, and its changelog stays as it was.
    @Test func theChangelogHasNoMorePartitionsThanTheInput() throws {
        var counts = Self.counts
        counts["push-arrival"] = 8
        #expect(try Self.preflight().faults(in: ClusterMetadata(partitionCounts: counts)) == [])
        counts["push-arrival.changelog"] = 9
        let faults = try Self.preflight().faults(in: ClusterMetadata(partitionCounts: counts))
        #expect(faults.count == 1 && faults.first?.contains("may not have more") == true)
        let kept = try Self.preflight("  changelog_partitions: 4\n")
        #expect(kept.faults(in: ClusterMetadata(partitionCounts: counts)) == [])
        #expect(kept.spreads(in: ClusterMetadata(partitionCounts: counts)).first?.homes == 4)
    }

    /// The worker warns of it at its start.
    @Test func anInputWithMorePartitionsIsTold() throws {
        var counts = Self.counts
        let preflight = try Self.preflight()
        #expect(preflight.growth(in: ClusterMetadata(partitionCounts: counts)) == nil)
        counts["push-arrival"] = 99
        let told = preflight.growth(in: ClusterMetadata(partitionCounts: counts))
        #expect(told?.contains("99 partitions") == true)
    }

    private static let good: [String: TopicSettings] = {
        var settings: [String: TopicSettings] = [:]
        for end in ["", ".result", ".dead-letter"] {
            settings["push-arrival\(end)"] = TopicSettings(["cleanup.policy": "delete"])
        }
        // Three days, an hour and a day.
        settings["push-arrival.changelog"] = TopicSettings([
            "cleanup.policy": "delete", "retention.ms": "349200000",
        ])
        settings["push-arrival.parts"] = TopicSettings([
            "cleanup.policy": "compact,delete", "retention.ms": "5184000000",
        ])
        settings["push-arrival.stats"] = TopicSettings(["cleanup.policy": "compact"])
        return settings
    }()

    @Test func whatTheReadmeSaysToCreateWillDo() throws {
        #expect(try Self.preflight().outlook(Self.good) == PreflightCommand.Outlook())
    }

    @Test(arguments: [
        ("changelog", ["cleanup.policy": "compact"], 1, 0),
        ("changelog", ["cleanup.policy": "delete", "retention.ms": "349199999"], 1, 0),
        ("dead-letter", ["cleanup.policy": "compact"], 1, 0),
        ("parts", ["cleanup.policy": "delete"], 0, 1),
        ("parts", ["cleanup.policy": "compact,delete", "retention.ms": "604800000"], 0, 1),
        ("stats", ["cleanup.policy": "delete"], 0, 1), ("result", ["cleanup.policy": "compact"], 1, 0),
        ("result", ["cleanup.policy": "delete", "max.message.bytes": "1047999"], 1, 0),
        ("stats", ["cleanup.policy": "compact", "max.message.bytes": "1047999"], 1, 0),
        ("result", ["cleanup.policy": "delete", "max.message.bytes": "1048000"], 0, 0),
    ])
    func seesTopicsThatForget(end: String, told: [String: String], faults: Int, warnings: Int) throws {
        var settings = Self.good
        settings["push-arrival.\(end)"] = TopicSettings(told)
        let outlook = try Self.preflight().outlook(settings)
        #expect(outlook.faults.count == faults && outlook.warnings.count == warnings, "\(outlook)")
    }

    /// The worker learns from the changelog how far its clock is ahead, and works without that too.
    @Test func aChangelogWithoutTheBrokersTimeIsANote() throws {
        var settings = Self.good
        for (type, notes) in [("CreateTime", 1), ("LogAppendTime", 0)] {
            settings["push-arrival.changelog"] = TopicSettings([
                "cleanup.policy": "delete", "retention.ms": "349200000", "message.timestamp.type": type,
            ])
            let outlook = try Self.preflight().outlook(settings)
            #expect(outlook.faults + outlook.warnings == [] && outlook.notes.count == notes, "\(outlook)")
        }
    }

    @Test func aLongerLatenessWantsALongerChangelog() throws {
        let outlook = try Self.preflight("push:\n  allowed_lateness: 30d\n").outlook(Self.good)
        #expect(outlook.faults.count == 1 && outlook.faults.first?.contains("2682000000 or more") == true)
    }

    @Test func saysWhatIsNotTold() throws {
        #expect(try Self.preflight().outlook([:]).unknown.count == 6)
    }
}
