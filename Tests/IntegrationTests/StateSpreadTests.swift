import Foundation
import Records
import Testing

/// An operator adds partitions to the topics of a worker whose state is spread over them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct StateSpreadTests {
    private static let devices = 60

    private static func events(to topic: String) -> [OutboundRecord] {
        (0..<Self.devices).map { device in
            let event = #"{"type":"arrived","deviceId":"d\#(device)","messageId":"m","provider":"jpush"}"#
            return OutboundRecord(topic: topic, key: Array("d\(device)".utf8), value: Array(event.utf8))
        }
    }

    /// Returns how often each word stands as the result of an event.
    private static func words(_ records: [InboundRecord]) -> [String: Int] {
        records.reduce(into: [:]) { words, record in
            let object = record.value.flatMap {
                (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
            }
            words[object?["result"] as? String ?? "none", default: 0] += 1
        }
    }

    /// Every device counted twice after `kafka-topics --alter`, and nothing said so.
    @Test func aChangelogThatGetsPartitionsStopsWorkersAndCountsNothingTwice() async throws {
        let cluster = try await PushTopics.cluster(partitions: 3)
        let results = try TopicContents(cluster.results, cluster)
        let first = try WorkerUnderTest("push-arrival-worker", PushTopics.settings(cluster))
        try cluster.publish(Self.events(to: cluster.input))
        #expect(results.read { $0.count >= Self.devices }, "\(first.log)")
        #expect(first.stop() == 0, "\(first.log)")
        #expect(Self.words(results.records) == ["accepted": Self.devices])

        for topic in [cluster.input, "\(cluster.input).changelog"] { try cluster.grow(topic, to: 6) }
        try cluster.publish(Self.events(to: cluster.input))
        let refused = try WorkerUnderTest("push-arrival-worker", PushTopics.settings(cluster))
        let remedy = "kafka.changelog_partitions to 3"
        // A worker that is not refused would not end.
        try #require(refused.waitForLog(remedy), "\(refused.log)")
        #expect(refused.exitStatus() == 1)
        for words in ["'\(cluster.input).changelog' is used with 6", "written with 3"] {
            #expect(refused.log.contains(words), "\(refused.log)")
        }
        // It has not begun to work.
        #expect(!refused.log.contains("took up partitions"), "\(refused.log)")
        let worker = ["--worker", "push-arrival-worker"]
        let preflight = try CommandUnderTest(
            ["preflight", "--config", refused.settingsPath] + worker,
            of: "fleet"
        )
        #expect(preflight.exitStatus() == 1)
        #expect(preflight.waitForLine(remedy), "\(preflight.text)")

        let settings = PushTopics.settings(cluster, kafka: "changelog_partitions: 3")
        let second = try WorkerUnderTest("push-arrival-worker", settings)
        #expect(results.read { $0.count >= 2 * Self.devices }, "\(second.log)")
        let words = Self.words(results.records)
        #expect(words == ["accepted": Self.devices, "duplicate": Self.devices], "\(words)")
        #expect(second.stop() == 0, "\(second.log)")
        try await cluster.end()
    }
}
