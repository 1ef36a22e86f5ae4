import Kafka
import Testing

@testable import WorkerKit

struct PreflightTests {
    private static let check: Preflight = {
        var settings = EngineSettings(
            inputTopic: "t",
            groupID: "g",
            worker: "w",
            workerVersion: "1",
            upstream: "u"
        )
        settings.retryTiers = [
            RetryTier(topic: "t.retry.1m", delay: .seconds(60)),
            RetryTier(topic: "t.retry.6h", delay: .seconds(6 * 3_600)),
        ]
        return Preflight(settings)
    }()

    /// As Kafka has them when nobody has said anything.
    private static let usual = [
        "cleanup.policy": "delete", "retention.ms": "604800000", "retention.bytes": "-1",
        "max.message.bytes": "1048588",
    ]

    private func outlook(_ topic: String, _ settings: [String: String]) -> Preflight.Outlook {
        var told = Dictionary(uniqueKeysWithValues: Self.check.describedTopics.map { ($0, Self.usual) })
        told[topic]?.merge(settings) { $1 }
        return Self.check.outlook(told.mapValues { TopicSettings($0) })
    }

    @Test func usualSettingsWillDo() {
        #expect(self.outlook("t", [:]) == Preflight.Outlook())
    }

    @Test(arguments: ["t.dead-letter", "t.retry.1m"], ["compact", "compact,delete"])
    func compactionWouldTakeRecordsAway(topic: String, policy: String) {
        let outlook = self.outlook(topic, ["cleanup.policy": policy])
        #expect(outlook.faults.count == 1)
        #expect(outlook.faults.allSatisfy { $0.contains("'\(topic)' is compacted") })
        #expect(self.outlook("t", ["cleanup.policy": policy]).faults == [])
    }

    /// A minute and an hour more, and twice six hours.
    @Test(arguments: [("t.retry.1m", 3_660_000), ("t.retry.6h", 43_200_000)])
    func aRecordMustLieThereUntilItIsDue(topic: String, least: Int) {
        #expect(self.outlook(topic, ["retention.ms": "\(least - 1)"]).faults.count == 1)
        #expect(self.outlook(topic, ["retention.ms": "\(least)"]) == Preflight.Outlook())
        #expect(self.outlook(topic, ["retention.ms": "-1"]) == Preflight.Outlook())
        #expect(self.outlook("t.dead-letter", ["retention.ms": "1"]) == Preflight.Outlook())
    }

    @Test func aBoundOnBytesAndSmallRecordsAreWarnedOf() {
        let bytes = self.outlook("t.retry.6h", ["retention.bytes": "1000000"])
        #expect(bytes.faults == [] && bytes.warnings.count == 1)
        for topic in ["t.dead-letter", "t.retry.1m"] {
            let size = self.outlook(topic, ["max.message.bytes": "1048587"])
            #expect(size.faults == [] && size.warnings.count == 1)
        }
        #expect(self.outlook("t", ["max.message.bytes": "10000000"]).warnings.count == 3)
    }

    @Test func whatIsNotToldIsUnknown() {
        let outlook = Self.check.outlook(["t": TopicSettings(Self.usual)])
        #expect(outlook.unknown == ["t.dead-letter", "t.retry.1m", "t.retry.6h"])
        #expect(outlook.faults == [] && outlook.warnings == [])
        // Nor is a value that is no number, or not there, taken for one.
        #expect(self.outlook("t.retry.1m", ["retention.ms": "long", "max.message.bytes": ""]).faults == [])
    }
}
