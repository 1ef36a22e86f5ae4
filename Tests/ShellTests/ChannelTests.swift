import Kafka
import Records
import ServiceKit
import Simulation
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

/// Records for channels are a part of their record's publication.
struct ChannelTests {
    /// Answers every record without a call, and sends a record of some size to a channel.
    private struct Sender: Handler {
        var valueBytes: Int

        func plan(
            _ record: InboundRecord,
            _ attempt: Attempt,
            with memory: inout NoMemory
        ) -> Plan<Never, String> { .answer("") }

        func interpret(
            _ exchange: Exchange,
            of job: Never,
            _ attempt: Attempt,
            with memory: inout NoMemory
        ) -> Verdict<Never, String> {}

        func encode(_ outcome: Outcome, _ answer: String?, as format: ValueFormat) -> [UInt8] {
            SimulatedOutcome(outcome, answer).encoded
        }

        var channelTopics: [String] { ["copies"] }

        func channelRecords(
            for record: InboundRecord,
            _ outcome: Outcome,
            _ answer: String?
        ) -> [OutboundRecord] {
            let value = [UInt8](repeating: 1, count: self.valueBytes)
            return [
                OutboundRecord(
                    topic: "copies",
                    key: record.key,
                    value: value,
                    headers: [RecordHeader("h", "v")]
                )
            ]
        }
    }

    private static func simulation(_ sender: Sender, _ delivery: EngineSettings.Delivery) -> Simulation {
        let simulation = Simulation { $0.delivery = delivery }
        simulation.handler = ErasedHandler(sender)
        simulation.cluster.channelTopics = ["copies"]
        return simulation
    }

    @Test(arguments: EngineSettings.Delivery.allCases)
    func theRecordComesBeforeTheOutcome(delivery: EngineSettings.Delivery) throws {
        let simulation = Self.simulation(Sender(valueBytes: 3), delivery)
        simulation.startWorker()
        simulation.cluster.append("a", key: "k")
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.published.map(\.topic) == ["copies", "work.result"])
        let copy = try #require(simulation.cluster.published.first)
        #expect(copy.key == Array("k".utf8))
        #expect(copy.headers.contains(RecordHeader("channel.of", "work/0/0")))
        let time = try #require(simulation.cluster.inputs.first?.timestamp)
        #expect(copy.headers.contains(RecordHeader("channel.timestamp_ms", String(time))))
        #expect(simulation.violations == [])
    }

    @Test(arguments: EngineSettings.Delivery.allCases)
    func theOffsetWaitsForTheRecord(delivery: EngineSettings.Delivery) throws {
        let simulation = Self.simulation(Sender(valueBytes: 3), delivery)
        simulation.cluster.produceFate = { record in
            record.topic == "copies"
                ? .failed(.timedOut, after: .milliseconds(5), isWritten: false)
                : .acknowledged(after: .milliseconds(2))
        }
        simulation.startWorker()
        simulation.cluster.append("a")
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.published.isEmpty)
        #expect(simulation.cluster.committedOffset() ?? 0 == 0)
        simulation.cluster.produceFate = { _ in .acknowledged(after: .milliseconds(2)) }
        #expect(try simulation.settleEverything())
        #expect(simulation.cluster.channelCounts == ["work/0/0": 1])
    }

    /// The first limit is that of the worker's settings, the second that of the broker, which is lower.
    @Test(arguments: EngineSettings.Delivery.allCases, [2_000_000, 150_000])
    func aRecordThatIsTooLargeGoesOutWithoutItsValue(
        delivery: EngineSettings.Delivery,
        valueBytes: Int
    ) throws {
        let simulation = Self.simulation(Sender(valueBytes: valueBytes), delivery)
        simulation.cluster.messageLimit = 100_000
        simulation.startWorker()
        simulation.cluster.append("a", key: "k")
        #expect(try simulation.settleEverything())
        let copy = try #require(simulation.cluster.published.first { $0.topic == "copies" })
        #expect(copy.value == nil)
        #expect(copy.headers.contains(RecordHeader("channel.value_omitted", String(valueBytes))))
        #expect(copy.headers.contains(RecordHeader("channel.of", "work/0/0")))
    }

    @Test func preflightAsksForTheTopic() {
        var settings = EngineSettings(
            inputTopic: "t",
            groupID: "g",
            worker: "w",
            workerVersion: "1",
            upstream: "u"
        )
        settings.channelTopics = ["copies", "t"]
        let check = Preflight(settings)
        let counts = ["t": 1, "t.result": 1, "t.dead-letter": 1]
        let faults = check.faults(in: ClusterMetadata(partitionCounts: counts))
        #expect(faults.count == 2)
        #expect(faults.contains { $0.contains("'copies' does not exist") })
        #expect(faults.contains { $0.contains("'t' is also a topic of the worker's own") })
    }
}
