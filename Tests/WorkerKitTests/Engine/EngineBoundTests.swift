import Kafka
import Records
import Simulation
import Testing

@testable import ServiceKit
@testable import WorkerKit

/// `run --stop-after`: no more is taken in than may be settled.
struct EngineBoundTests {
    /// 5 that were asked for once settled 90, because all that had been taken in was settled too.
    @Test(arguments: [EngineSettings.Delivery.atLeastOnce, .exactlyOnce])
    func settlesNoMoreThanItsBound(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 3) {
            $0.settledBound = 5
            $0.delivery = delivery
        }
        for index in 0..<90 { simulation.cluster.append("\(index)", key: "k\(index)", to: Int32(index % 3)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(10))
        #expect(worker.engine.settledRecords == 5)
        #expect(worker.upstream.calls.count == 5)
        #expect(worker.engine.recordsInHand == 0)
        #expect(simulation.violations == [])
    }

    /// Answers count too: 64 calls with answers of 200 KB once took up 13 MB beside a limit of 1 MiB.
    @Test(arguments: [EngineSettings.Delivery.atLeastOnce, .exactlyOnce])
    func answersThatComeInCountForTheBytesInHand(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) {
            $0.bytesLimit = 1 << 20
            $0.concurrency = 64
            $0.delivery = delivery
        }
        let (record, answer) = (String(repeating: "r", count: 2_000), String(repeating: "a", count: 200_000))
        simulation.reply = { _ in SimulatedUpstream.Reply(207, after: .seconds(1), body: answer) }
        for index in 0..<300 { simulation.cluster.append(record, key: "k\(index)", to: Int32(index % 2)) }
        let worker = simulation.startWorker()
        var most = 0
        let isSettled = try simulation.run(for: .seconds(400)) {
            most = max(most, worker.engine.bytesInHand)
            return simulation.cluster.isEverythingSettled
        }
        #expect(isSettled)
        // A quarter of the limit for answers, and the one that goes beyond it; a batch of records.
        #expect(worker.upstream.mostBytesInHand <= 1 << 18 + 202_000)
        #expect(most <= 1 << 20 + 202_000 + 64 * 3_000, "\(most)")
        #expect(simulation.violations == [])
    }

    /// The part of an answer that is kept until the broker has it counts too.
    @Test func outcomesOnTheirWayCountForTheBytesInHand() throws {
        let simulation = Simulation {
            $0.bytesLimit = 1 << 20
            $0.concurrency = 64
        }
        // An outcome of 150 KB each, and a broker that takes none for a while.
        let answer = String(repeating: "a", count: 150_000)
        simulation.reply = { _ in SimulatedUpstream.Reply(207, body: answer) }
        var isDown = true
        let error = KafkaError(code: .timedOut, message: "not now")
        simulation.cluster.produceFate = { _ in
            isDown
                ? .failed(error, after: .seconds(1), isWritten: false)
                : .acknowledged(after: .milliseconds(2))
        }
        for index in 0..<300 { simulation.cluster.append("much", key: "k\(index)") }
        let worker = simulation.startWorker()
        var most = 0
        try simulation.run(for: .seconds(20)) {
            most = max(most, worker.engine.bytesInHand)
            return false
        }
        #expect(most > 1 << 18 && most < 1 << 19, "\(most)")
        #expect(worker.upstream.calls.count == 2)
        isDown = false
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }

    private static func bounds(_ offset: Int64) -> ReadBounds {
        ReadBounds(
            topics: [SimulatedCluster.topic],
            Dictionary((0..<2).map { (TopicPartition(topic: SimulatedCluster.topic, partition: $0), offset) })
            { $1 }
        )
    }

    /// `run --until`: what is in hand or parked keeps the run from its end.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func theInputIsSettledOnceNothingOfItWaits(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) {
            $0.recordsLimit = 200
            $0.delivery = delivery
        }
        simulation.makeParkingTopic()
        simulation.reply = { SimulatedUpstream.Reply($0.lane == "bad" ? 401 : 200) }
        // Most of the records are parked after a while, and some of them come back again and again.
        for index in 0..<700 {
            let headers = [RecordHeader("lane", index % 7 == 0 ? "good" : "bad")]
            simulation.cluster.append("ok", key: "k\(index)", to: Int32(index % 2), headers: headers)
        }
        let worker = simulation.startWorker()
        var (hasBegun, early) = (false, 0)
        try simulation.run(for: .seconds(200)) {
            hasBegun = hasBegun || worker.engine.recordsInHand > 0
            if hasBegun, worker.engine.isInputSettled(before: Self.bounds(350)) { early += 1 }
            return false
        }
        #expect(simulation.cluster.tickets.count > 100)
        #expect(early == 0)
        simulation.reply = { _ in SimulatedUpstream.Reply(200) }
        #expect(
            try simulation.run(for: .seconds(3_600)) {
                worker.engine.isInputSettled(before: Self.bounds(350))
            }
        )
        #expect(simulation.cluster.isEverythingSettled)
        #expect(simulation.violations == [])
    }

    /// A commit that fails at the end of the input is done again first.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func theInputIsSettledOnceItIsCommitted(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) { $0.delivery = delivery }
        let error = KafkaError(code: .timedOut, message: "not now")
        var isDown = true
        simulation.cluster.commitFate = { _ in
            isDown
                ? .failed(error, after: .milliseconds(5), isStored: false)
                : .acknowledged(after: .milliseconds(5))
        }
        simulation.cluster.transactionFate = { _ in
            isDown ? .refused(error, after: .milliseconds(5)) : .committed(after: .milliseconds(5))
        }
        for index in 0..<40 { simulation.cluster.append("\(index)", key: "k\(index)", to: Int32(index % 2)) }
        let worker = simulation.startWorker()
        var (hasBegun, early) = (false, 0)
        let isSettled = try simulation.run(for: .seconds(60)) {
            hasBegun = hasBegun || worker.engine.recordsInHand > 0
            if simulation.seconds > 20 { isDown = false }
            guard hasBegun, worker.engine.isInputSettled(before: Self.bounds(20)) else { return false }
            if !simulation.cluster.isEverythingCommitted { early += 1 }
            return true
        }
        #expect(isSettled && early == 0)
        #expect(simulation.violations == [])
    }

    /// A record that waits for a retry is one of those that were asked for.
    @Test func waitsForTheRetriesOfWhatItTookIn() throws {
        let simulation = Simulation(partitions: 1) { $0.settledBound = 2 }
        for index in 0..<10 { simulation.cluster.append("\(index)", key: "k\(index)") }
        simulation.reply = { SimulatedUpstream.Reply($0.at < 3_000_000_000 ? 503 : 200) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(30))
        #expect(worker.engine.settledRecords == 2)
        #expect(simulation.cluster.outcome(0) != nil && simulation.cluster.outcome(1) != nil)
        #expect(simulation.violations == [])
    }
}
