import Kafka
import Records
import ServiceKit
import Simulation
import Testing
import WireFormats

@testable import WorkerKit

/// From the verdict to the broker's acknowledgement.
struct EngineSettleTests {
    private typealias Reply = SimulatedUpstream.Reply

    @Test func offsetIsCommittedOnlyAfterTheBrokerHasTheOutcome() throws {
        let simulation = Simulation()
        simulation.cluster.append("x")
        simulation.cluster.produceFate = { _ in .acknowledged(after: .seconds(30)) }
        simulation.startWorker()
        try simulation.run(for: .seconds(29))
        #expect(simulation.cluster.committedOffset() == 0)
        try simulation.run(for: .seconds(2))
        #expect(simulation.cluster.committedOffset() == 1)
        #expect(simulation.violations == [])
    }

    @Test func aRefusedProduceKeepsTheRecord() throws {
        let simulation = Simulation()
        for index in 0..<20 { simulation.cluster.append("\(index)", key: "k\(index % 3)") }
        var round = 0
        simulation.cluster.produceFate = { _ in
            round += 1
            if simulation.seconds > 120 { return .acknowledged(after: .milliseconds(1)) }
            return round % 2 == 0
                ? .refused(.timedOut) : .failed(.timedOut, after: .milliseconds(5), isWritten: false)
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(119))
        #expect(simulation.cluster.published.isEmpty)
        #expect(simulation.cluster.committedOffset() == 0)
        #expect(round < 200)
        #expect(try simulation.settleEverything(within: .seconds(200)))
        #expect(worker.upstream.calls.count == 20)
        #expect(simulation.violations == [])
    }

    @Test func aFullQueueIsWaitedOutShortly() throws {
        let simulation = Simulation()
        for index in 0..<100 { simulation.cluster.append("\(index)") }
        simulation.cluster.produceFate = { _ in
            simulation.seconds < 5 ? .refused(.queueFull) : .acknowledged(after: .milliseconds(1))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(6)))
    }

    @Test func deadLetterIsAcknowledgedBeforeTheOutcomeThatNamesIt() throws {
        let simulation = Simulation()
        simulation.cluster.append("undecodable", key: "k", headers: [RecordHeader("h", "v")])
        simulation.cluster.produceFate = { record in
            record.topic.hasSuffix("dead-letter") && simulation.seconds < 10
                ? .failed(.timedOut, after: .seconds(1), isWritten: false) : .acknowledged(after: .seconds(1))
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(9))
        #expect(simulation.cluster.outcome(0) == nil)
        #expect(try simulation.settleEverything(within: .seconds(60)))
        let letter = try #require(simulation.cluster.published.first)
        #expect(letter.value == Array("undecodable".utf8))
        #expect(letter.key == Array("k".utf8))
        #expect(letter.header("h") == "v")
        #expect(letter.header("dlq.id") == simulation.cluster.outcome(0)?.deadLetterID)
        #expect(simulation.violations == [])
    }

    /// A letter goes to the topic of its reason, into the partition with its record's number as far as there is one.
    @Test func aDeadLetterGoesWhereItsReasonLeads() throws {
        let routes = try DeadLetterRoutes(["undec*=other.dead-letter", "*=rest.dead-letter"])
        let simulation = Simulation(partitions: 4) { $0.deadLetterRoutes = routes }
        simulation.reply = { _ in .init(422) }
        for partition: Int32 in 0..<4 {
            simulation.cluster.append("undecodable", to: partition)
            simulation.cluster.append("ok", to: partition)
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        let letters = simulation.cluster.published.filter { $0.topic.hasSuffix(".dead-letter") }
        let places = letters.map { "\($0.topic)/\($0.partition ?? -1)" }.sorted()
        #expect(places == (0..<8).map { $0 < 4 ? "other.dead-letter/0" : "rest.dead-letter/0" })
        #expect(simulation.violations == [])
    }

    /// However a replayed record ends, whoever replayed it finds it.
    @Test func anOutcomeSaysWhichReplayItIsOf() throws {
        let simulation = Simulation()
        let replay = RecordHeader("dlq.replay_id", "r-7")
        simulation.cluster.append("x", headers: [replay, RecordHeader("dlq.replay_count", "1")])
        simulation.cluster.append("undecodable", headers: [RecordHeader("h", "v"), replay])
        simulation.cluster.append("y", headers: [RecordHeader("dlq.replay_id", "two words")])
        simulation.cluster.append(
            "z",
            headers: [RecordHeader("dlq.replay_id", String(repeating: "r", count: 129))]
        )
        simulation.cluster.append("plain", headers: [RecordHeader("dlq.replay_id", nil)])
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        func replayIDs(_ offset: Int64) -> [RecordHeader] {
            simulation.cluster.published.filter { SimulatedOutcome($0)?.offset == offset }
                .flatMap(\.headers).filter { $0.name.hasPrefix("dlq.") }
        }
        #expect(replayIDs(0) == [replay])
        #expect(replayIDs(1) == [replay])
        #expect((2...4).allSatisfy { replayIDs($0).isEmpty })
        #expect(simulation.cluster.outcome(1)?.fate == "dead_lettered")
        let letter = try #require(simulation.cluster.letters.values.first)
        #expect(letter.header("dlq.replay_id") == "r-7")
        #expect(simulation.violations == [])
    }

    @Test func tooLargeDeadLettersBecomePointers() throws {
        let simulation = Simulation { $0.messageBytesLimit = 1_000_000 }
        simulation.cluster.append(
            "undecodable",
            headers: [RecordHeader("big", String(repeating: "x", count: 9_000))]
        )
        // The broker takes less than it was said to, and says so only in its reports.
        simulation.cluster.produceFate = { record in
            record.headers.reduce(0) { $0 + ($1.value?.count ?? 0) } > 5_000
                ? .failed(.messageTooLarge, after: .milliseconds(1), isWritten: false)
                : .acknowledged(after: .milliseconds(1))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(5)))
        let letter = try #require(simulation.cluster.letters.values.first)
        #expect(letter.header("__dlq.errors.offset") == "0")
        #expect(letter.header("dlq.headers_omitted") != nil)
        #expect(simulation.violations == [])
    }

    /// A publisher finds its record again, and hears of the fields that nobody reads: whatever the fate.
    @Test(arguments: [nil, 422 as Int?])
    func anOutcomeRepeatsWhatItsPublisherSetAndNamesUnknownFields(status: Int?) throws {
        let simulation = Simulation()
        let sent = [
            RecordHeader("correlation-id", [0x00, 0xFF]), RecordHeader("ce_id", "e-1"),
            RecordHeader("ce_source", "s"),
        ]
        simulation.cluster.append(#"{"known":1,"knwon":{"inner":2},"13812345678":3}"#, headers: sent)
        simulation.cluster.append(
            #"{"known":1}"#,
            headers: [RecordHeader("correlation-id", String(repeating: "x", count: 257))]
        )
        if let status { simulation.reply = { _ in Reply(status) } }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(5)))
        let outcomes = simulation.cluster.published.filter { SimulatedOutcome($0) != nil }
        let first = try #require(outcomes.first { SimulatedOutcome($0)?.offset == 0 })
        for header in sent.prefix(2) { #expect(first.headers.contains(header)) }
        #expect(!first.headers.contains { $0.name == "ce_source" })
        #expect(first.headers.contains(RecordHeader("outcome.unknown_fields", "knwon,+1")))
        let second = try #require(outcomes.first { SimulatedOutcome($0)?.offset == 1 })
        #expect(!second.headers.contains { ["correlation-id", UnknownFields.header].contains($0.name) })
    }

    /// Also where an answer has to be made smaller, which makes the event around it no smaller.
    @Test func anOutcomeIsACloudEventWhereTheSettingSaysSo() throws {
        let simulation = Simulation {
            $0.resultEnvelope = .binary
            $0.messageBytesLimit = 10_000
        }
        simulation.cluster.append("x", headers: [RecordHeader("ce_id", "e-1")])
        simulation.reply = { _ in Reply(207) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(5)))
        let outcome = try #require(simulation.cluster.published.first)
        let id = try #require(SimulatedOutcome(outcome)?.id)
        #expect(outcome.headers.filter { $0.name == "ce_id" } == [RecordHeader("ce_id", id)])
        #expect(outcome.headers.contains(RecordHeader("ce_causationid", "e-1")))
        #expect(outcome.headers.contains { $0.name == "outcome.answer_omitted" })
    }

    /// The frame counts for the broker's limit, and does not keep an answer from being made smaller.
    @Test(arguments: ValueFormat.allCases)
    func anOutcomeHasAFrameWhereTheSettingSaysSo(format: ValueFormat) throws {
        let simulation = Simulation {
            $0.resultFormat = format
            $0.resultSchemaID = 258
            $0.messageBytesLimit = 10_000
        }
        simulation.cluster.append("x")
        simulation.cluster.append("y")
        simulation.reply = { _ in Reply(207) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(5)))
        #expect(simulation.cluster.published.count == 2)
        for outcome in simulation.cluster.published {
            let frame: [UInt8] = format == .json ? [0, 0, 0, 1, 2] : [0, 0, 0, 1, 2, 0]
            let value = try #require(outcome.value)
            let told = OutboundRecord(topic: outcome.topic, value: Array(value.dropFirst(frame.count)))
            let bare = try #require(SimulatedOutcome(told))
            #expect(value.starts(with: frame))
            #expect(bare.id.hasSuffix("/0/\(bare.offset)") && bare.id.utf8.first != 0)
            #expect(outcome.headers.contains { $0.name == "outcome.answer_omitted" })
            #expect(outcome.encodedBytesBound <= 10_000)
        }
    }

    /// A key may be as large as the broker's limit, and an outcome that carries it is larger: it goes without.
    @Test func anOutcomeThatIsTooLargeGoesWithoutItsKey() throws {
        let simulation = Simulation()
        for index in 0..<3 { simulation.cluster.append("\(index)", key: "key-\(index)") }
        var tries = 0
        simulation.cluster.produceFate = { record in
            guard SimulatedOutcome(record)?.offset == 1 else { return .acknowledged(after: .milliseconds(1)) }
            tries += 1
            return record.key == nil ? .acknowledged(after: .milliseconds(1)) : .refused(.messageTooLarge)
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(10))
        #expect(tries == 2)
        #expect(simulation.cluster.committedOffset() == 3)
        let outcome = try #require(simulation.cluster.published.first { SimulatedOutcome($0)?.offset == 1 })
        #expect(outcome.key == nil)
        #expect(outcome.headers.contains(RecordHeader("outcome.key_omitted", "5")))
        #expect(simulation.violations == [])
    }

    /// A broker that takes not even that is asked again, with patience, and the record is kept.
    @Test func anOutcomeThatIsRefusedForGoodIsNotTriedHotly() throws {
        let simulation = Simulation()
        for index in 0..<3 { simulation.cluster.append("\(index)") }
        var tries = 0
        simulation.cluster.produceFate = { record in
            guard SimulatedOutcome(record)?.offset == 1 else { return .acknowledged(after: .milliseconds(1)) }
            tries += 1
            return .refused(.messageTooLarge)
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(3_600))
        #expect(tries > 60 && tries < 240)
        #expect(simulation.cluster.committedOffset() == 1)
        #expect(simulation.cluster.outcome(2)?.fate == "succeeded")
        #expect(simulation.violations == [])
    }

    @Test func aFatalErrorOfTheProducerEndsTheEngine() throws {
        let simulation = Simulation()
        simulation.cluster.append("x")
        let fatal = KafkaError(code: .invalidConfiguration, message: "fenced", isFatal: true)
        simulation.cluster.produceFate = { _ in .refused(fatal) }
        simulation.startWorker()
        #expect(throws: fatal) { try simulation.run(for: .seconds(5)) }
        #expect(simulation.cluster.committedOffset() == 0)
    }

    @Test func answersOfOurOwnNeedNoCall() throws {
        let simulation = Simulation()
        for text in ["known", "refused", "undecodable", "ask"] { simulation.cluster.append(text) }
        simulation.reply = { _ in Reply(404) }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(5)))
        #expect(simulation.cluster.fates() == ["succeeded", "rejected", "dead_lettered", "rejected"])
        #expect(simulation.cluster.outcome(3)?.answer == "nothing there")
        #expect(worker.upstream.calls.count == 1)
        #expect(simulation.cluster.letters.count == 1)
    }

    @Test func aFailedCommitIsSentAgain() throws {
        let simulation = Simulation()
        for index in 0..<20 { simulation.cluster.append("\(index)") }
        var failures = 0
        simulation.cluster.commitFate = { _ in
            failures += 1
            return failures < 8
                ? (failures % 2 == 0
                    ? .refused(.timedOut) : .failed(.timedOut, after: .seconds(1), isStored: false))
                : .acknowledged(after: .milliseconds(1))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(20)))
        #expect(failures == 8)
        #expect(simulation.violations == [])
    }

    /// The conditions of `worker.skip`: on headers, and on fields.
    @Test func recordsThatAreToBeSkippedAreRejectedWithoutACall() throws {
        let simulation = Simulation {
            $0.skip = ["header:test=1", "field:kind=probe"].compactMap { RecordFilter($0) }
        }
        simulation.cluster.append("a", headers: [RecordHeader("test", "1")])
        simulation.cluster.append("b", headers: [RecordHeader("test", "2")])
        simulation.cluster.append(#"{"kind":"probe"}"#)
        simulation.cluster.append(#"{"kind":"order"}"#)
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(5)))
        #expect(simulation.cluster.fates() == ["rejected", "succeeded", "rejected", "succeeded"])
        #expect(worker.upstream.calls.count == 2)
        #expect(simulation.violations == [])
    }
}
