import Kafka
import Testing

@testable import ServiceKit

struct PreflightTests {
    private static let check: Preflight = {
        var check = Preflight(
            inputTopic: "t",
            resultTopic: "t.result",
            deadLetterTopic: "t.dead-letter",
            parkedTopic: "t.parked",
            retryTiers: [
                RetryTier(topic: "t.retry.1m", delay: .seconds(60)),
                RetryTier(topic: "t.retry.6h", delay: .seconds(6 * 3_600)),
            ],
            deadline: .seconds(7 * 24 * 3_600),
            messageBytesLimit: 1_000_000
        )
        check.meet(ClusterMetadata(partitionCounts: ["t": 4, "t.parked": 4]))
        return check
    }()

    /// As Kafka has them when nobody has said anything.
    private static let usual = [
        "cleanup.policy": "delete", "retention.ms": "604800000", "retention.bytes": "-1",
        "max.message.bytes": "1048588",
    ]

    private func outlook(_ topic: String, _ settings: [String: String]) -> Preflight.Outlook {
        var told = Dictionary(uniqueKeysWithValues: Self.check.describedTopics.map { ($0, Self.usual) })
        told["t.parked"]?["cleanup.policy"] = "compact"
        told["t.parked"]?["message.timestamp.type"] = "LogAppendTime"
        told[topic]?.merge(settings) { $1 }
        return Self.check.outlook(told.mapValues { TopicSettings($0) })
    }

    @Test func usualSettingsWillDo() {
        #expect(self.outlook("t", [:]) == Preflight.Outlook())
    }

    @Test(arguments: ["t.result", "t.dead-letter", "t.retry.1m"], ["compact", "compact,delete"])
    func compactionWouldTakeRecordsAway(topic: String, policy: String) {
        let outlook = self.outlook(topic, ["cleanup.policy": policy])
        #expect(outlook.faults.count == 1)
        #expect(outlook.faults.allSatisfy { $0.contains("'\(topic)' is compacted") })
        #expect(self.outlook("t", ["cleanup.policy": policy]).faults == [])
    }

    /// Each topic of dead letters is looked at, wherever a reason leads.
    @Test func routedLettersHaveTheirOwnTopics() {
        var check = Self.check
        check.routedLetterTopics = ["ads.dead-letter"]
        #expect(check.describedTopics.contains("ads.dead-letter"))
        let there = ["t": 4, "t.result": 1, "t.dead-letter": 1, "t.retry.1m": 1, "t.retry.6h": 1]
        #expect(
            check.faults(in: ClusterMetadata(partitionCounts: there)).map { $0.contains("'ads.dead-letter'") }
                == [true]
        )
        let told = ["ads.dead-letter": TopicSettings(["cleanup.policy": "compact"])]
        #expect(check.outlook(told).faults.map { $0.contains("'ads.dead-letter' is compacted") } == [true])
        for topic in ["t", "t.result", "two words", "t.retry.1m"] {
            check.routedLetterTopics = [topic]
            #expect(check.faultsOfNames.map(\.setting) == ["dead_letter_routes"], "\(topic)")
        }
        check.routedLetterTopics = ["t.parked"]
        #expect(check.faultsOfNames.map(\.setting) == ["parked_topic"])
    }

    /// Tickets that are deleted stand for records that are lost.
    @Test(arguments: ["delete", "compact,delete"])
    func aParkingTopicKeepsItsTickets(policy: String) {
        let outlook = self.outlook("t.parked", ["cleanup.policy": policy])
        #expect(outlook.faults.count == 1)
        #expect(outlook.faults.allSatisfy { $0.contains("'t.parked'") && $0.contains("'compact'") })
    }

    /// Without the brokers' time, a worker believes a clock that is ahead when it starts.
    @Test func aParkingTopicThatTellsNoTimeOfTheBrokersIsNoted() {
        let outlook = self.outlook("t.parked", ["message.timestamp.type": "CreateTime"])
        #expect(outlook.faults == [] && outlook.warnings == [])
        #expect(outlook.notes.count == 1)
        #expect(outlook.notes.allSatisfy { $0.contains("'t.parked'") && $0.contains("'LogAppendTime'") })
    }

    @Test func whatIsPutAsideMustBeThereToBeReadAgain() {
        #expect(self.outlook("t", ["cleanup.policy": "compact"]).warnings.count == 1)
        #expect(self.outlook("t", ["retention.ms": "604799999"]).warnings.count == 1)
        #expect(self.outlook("t", ["retention.ms": "-1"]) == Preflight.Outlook())
    }

    @Test func withoutAParkingTopicThereIsANote() {
        var check = Self.check
        check.meet(ClusterMetadata(partitionCounts: ["t": 4]))
        #expect(check.outlook([:]).notes.count == 1)
        check.meet(ClusterMetadata(partitionCounts: ["t": 4, "t.parked": 3]))
        #expect(check.outlook([:]).warnings.count == 1)
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

    @Test func anOutcomeThatTheWorkerWritesHasToFitItsTopic() {
        // The worker's own limit is set to 1,000,000 here.
        let small = self.outlook("t.result", ["max.message.bytes": "999999"])
        #expect(small.faults == [] && small.warnings.count == 1)
        #expect(small.warnings.first?.contains("'t.result' takes 999999 bytes a record") == true)
        #expect(self.outlook("t.result", ["max.message.bytes": "1000000"]) == Preflight.Outlook())
        #expect(self.outlook("t.result", ["retention.ms": "1"]) == Preflight.Outlook())
    }

    @Test func whatIsNotToldIsUnknown() {
        let outlook = Self.check.outlook(["t": TopicSettings(Self.usual)])
        #expect(outlook.unknown == ["t.result", "t.dead-letter", "t.retry.1m", "t.retry.6h", "t.parked"])
        #expect(outlook.faults == [] && outlook.warnings == [])
        // Nor is a value that is no number, or not there, taken for one.
        #expect(self.outlook("t.retry.1m", ["retention.ms": "long", "max.message.bytes": ""]).faults == [])
    }
}
