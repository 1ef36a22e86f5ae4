import EmbeddedBroker
import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// A worker on a machine whose clock is an hour ahead of the broker's.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: TestCluster.isEmbedded))
struct WrongClockTests {
    private static let lead = Duration.seconds(3_600)

    /// Nothing in the worker's own clocks shows that its clock was wrong before it started; the broker's clock does.
    @Test(arguments: ["at-least-once", "exactly-once"])
    func aClockThatIsAheadAtTheStartExpiresNothing(delivery: String) async throws {
        var settings = BrokerSettings()
        settings.clockLead = .zero - Self.lead
        let cluster = try await TestCluster.transactional(settings)
        try cluster.createParking(partitions: 4)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: "worker:\n  delivery: \(delivery)\n  deadline: 5m"
        )
        // Two of the last minute and one that is really too old, by the clock of publisher and broker.
        try cluster.publish([
            self.record(0, age: .seconds(1), to: cluster), self.record(1, age: .seconds(60), to: cluster),
            self.record(2, age: .seconds(600), to: cluster),
        ])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 3), "\(worker.log)")
        let fates = results.records.map {
            "\(String(decoding: $0.key ?? [], as: UTF8.self)) \($0.outcome?.fate ?? "")"
        }
        #expect(fates.sorted() == ["key-0 succeeded", "key-1 succeeded", "key-2 expired"])
        #expect(worker.log.contains("the wall clock is ahead"))
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try await cluster.end()
    }

    /// By the worker's own clock the message is over a second after its first arrival, and the next one is late.
    @Test func aClockThatIsAheadAtTheStartEndsNoMessage() async throws {
        let lead = Duration.seconds(80 * 3_600)
        var settings = BrokerSettings()
        settings.clockLead = .zero - lead
        let cluster = try await PushTopics.cluster(partitions: 2, settings)
        let now = Int64((Date().timeIntervalSince1970 - lead / .seconds(1)) * 1_000)
        let text = PushTopics.settings(cluster, more: "push: {allowed_lateness: 30m, grace: 1s}")
        let worker = try WorkerUnderTest("push-arrival-worker", text)
        func publish(_ device: String) throws {
            let event =
                #"{"type":"arrived","deviceId":"\#(device)","messageId":"m","serverMs":\#(now),"sentMs":\#(now - 60_000)}"#
            let key = Array(device.utf8)
            try cluster.publish([
                OutboundRecord(topic: cluster.input, key: key, value: Array(event.utf8), timestamp: now)
            ])
        }
        let results = try TopicContents(cluster.results, cluster)
        try publish("a")
        #expect(results.read { $0.count >= 1 }, "\(worker.log)")
        let statistics = try TopicContents("\(cluster.input).stats", cluster)
        let isOver = statistics.read(atMost: .seconds(4)) {
            $0.latest.values.contains { $0["complete"] as? Bool == true }
        }
        #expect(!isOver, "\(worker.log)")
        try publish("a2")
        #expect(results.read { $0.count >= 2 }, "\(worker.log)")
        let standings = results.records.compactMap { [$0].latest.values.first?["result"] as? String }
        #expect(standings == ["accepted", "accepted"], "\(worker.log)")
        #expect(worker.log.contains("the wall clock is ahead"))
        #expect(worker.stop() == 0, "\(worker.log)")
        try await cluster.end()
    }

    private func record(_ index: Int, age: Duration, to cluster: TestCluster) -> OutboundRecord {
        var record = Activations.good(index, to: cluster.input)
        let then = Date.now.addingTimeInterval(-((Self.lead + age) / .seconds(1)))
        record.timestamp = Int64(then.timeIntervalSince1970 * 1_000)
        return record
    }
}
