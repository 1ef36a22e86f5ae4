import Kafka
import Records
import Simulation
import Testing
import WireFormats

@testable import ServiceKit
@testable import WorkerKit

/// Retries, outages, lanes and deadlines.
struct EngineRetryTests {
    private typealias Reply = SimulatedUpstream.Reply

    @Test func aWaitingRetryHoldsNoSlotAndDoesNotCloseTheIntake() throws {
        let simulation = Simulation { $0.concurrency = 2 }
        for index in 0..<500 { simulation.cluster.append("\(index)") }
        // The first hundred ask for much time; far more than there are slots and places in the ready queue.
        simulation.reply = { call in
            call.offset < 100 && call.at < 50_000_000_000 ? Reply(409, retryAfter: 60) : Reply(200)
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(15))
        #expect(simulation.cluster.fates().compactMap(\.self).count == 400)
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    @Test func retryAfterGatesTheWholeUpstream() throws {
        let simulation = Simulation { $0.concurrency = 4 }
        for index in 0..<40 { simulation.cluster.append("\(index)") }
        simulation.reply = {
            $0.offset == 10 && $0.at < 10_000_000_000 ? Reply(429, retryAfter: 30) : Reply(200)
        }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        let starts = worker.upstream.calls.map { Double($0.at) / 1e9 - 1 }
        #expect(starts.contains { $0 < 1 })
        #expect(starts.contains { $0 >= 30 && $0 < 31.2 })
        #expect(!starts.contains { $0 > 0.2 && $0 < 30 })
        #expect(simulation.violations == [])
    }

    @Test func aGateStopsFollowUpCallsToo() throws {
        let simulation = Simulation { $0.concurrency = 4 }
        simulation.cluster.append("first asks twice")
        simulation.cluster.append("second closes the gate")
        simulation.reply = { call in
            switch (call.offset, call.isFollowUp) {
            case (0, false): Reply(300, after: .milliseconds(50))
            case (1, _) where call.at < 5_000_000_000: Reply(429, after: .milliseconds(10), retryAfter: 20)
            default: Reply(200)
            }
        }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(worker.upstream.calls.filter(\.isFollowUp).count == 1)
        #expect(worker.upstream.starts(of: 0)[1] >= 21)
        #expect(simulation.violations == [])
    }

    /// Else whoever may write to a retry topic, or mirrors it from another cluster, could settle records of another topic.
    @Test func aTicketOfAnotherTopicOrClusterIsForeign() throws {
        let retryTopic = "work.retry.5s"
        let simulation = Simulation { $0.retryTiers = [RetryTier(topic: retryTopic, delay: .seconds(5))] }
        let engine = simulation.startWorker().engine
        func mark(_ cluster: String, _ partition: Int32) -> String {
            let input = TopicPartition(topic: SimulatedCluster.topic, partition: partition)
            return PartitionMark(clusterID: cluster, input).text
        }
        func isCopy(of topic: String?, in place: String? = nil) -> Bool {
            var record = InboundRecord(topic: topic ?? "", partition: 0, offset: 7)
            let ticket = RetryTicket(
                of: record,
                attempts: 1,
                failures: 1,
                receivedAt: 1,
                firstFailedAt: 1,
                reason: "http.503",
                due: 1,
                notBefore: 1,
                from: "work/0/7",
                place: place
            )
            record.headers = topic == nil ? [] : ticket.headers
            if case .copy(let found) = engine.arrival(of: record, from: retryTopic) { return found == ticket }
            return false
        }
        #expect(isCopy(of: SimulatedCluster.topic))
        #expect(isCopy(of: SimulatedCluster.topic, in: mark(simulation.clusterID, 0)))
        #expect(!isCopy(of: SimulatedCluster.topic, in: mark(simulation.clusterID, 1)))
        #expect(!isCopy(of: SimulatedCluster.topic, in: mark("the mirror", 0)))
        #expect(!isCopy(of: "other") && !isCopy(of: retryTopic) && !isCopy(of: nil))
    }

    @Test func aRateLimitUsesUpNobodysAttempts() throws {
        let simulation = Simulation { $0.attempts = 2 }
        for index in 0..<200 { simulation.cluster.append("\(index)") }
        // Half are answered, half are told to wait, for minutes.
        simulation.reply = { call in
            call.at < 200_000_000_000 && call.offset % 2 == 1 ? Reply(429, retryAfter: 1) : Reply(200)
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(900)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func anEndlessRetryAfterIsAskedAboutWithOneProbeAtATime() throws {
        let simulation = Simulation()
        for index in 0..<200 { simulation.cluster.append("\(index)") }
        let end: Int64 = 3_600_000_000_000
        simulation.reply = { $0.at < end ? Reply(429, retryAfter: 9_000_000_000) : Reply(200) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(3_599))
        // The first calls, as many as one of two endpoints may take, and then one for every gate of five minutes.
        #expect(worker.upstream.calls.count == 48 + 11)
        #expect(try simulation.settleEverything(within: .seconds(310)))
        let firstAnswer = try #require(worker.upstream.calls.first { $0.at >= end })
        let others = worker.upstream.calls.filter { $0.at > firstAnswer.at }
        #expect(others.count >= 199 && others.allSatisfy { $0.at >= firstAnswer.at + 20_000_000 })
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func aRetryAfterOfNothingStillBacksOff() throws {
        let simulation = Simulation()
        simulation.cluster.append("x")
        simulation.reply = { _ in Reply(503, after: .milliseconds(1), retryAfter: 0) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(600))
        #expect(worker.upstream.calls.count < 60)
    }

    @Test func retriesAreNeverEarly() throws {
        let simulation = Simulation()
        simulation.cluster.append("x")
        var replies = [7, 11, 3]
        simulation.reply = { _ in replies.isEmpty ? Reply(200) : Reply(409, retryAfter: replies.removeFirst())
        }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        let starts = worker.upstream.starts(of: 0)
        let waits = zip(starts, starts.dropFirst()).map { $1 - $0 }
        #expect(waits.count == 3)
        for (wait, asked) in zip(waits, [7.0, 11, 3]) { #expect(wait >= asked && wait <= asked + 1.1) }
    }

    @Test func anOutageOfHoursDeadLettersNothing() throws {
        let simulation = Simulation(partitions: 2) { $0.attempts = 3 }
        for index in 0..<400 {
            simulation.cluster.append("\(index)", key: "k\(index % 40)", to: Int32(index % 2))
        }
        let end: Int64 = 1_000_000_000 + 5 * 3_600 * 1_000_000_000
        simulation.reply = { $0.at < end && $0.at > 1_050_000_000 ? Reply(503) : Reply(200) }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(6 * 3_600)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.cluster.fates().allSatisfy { $0 == "succeeded" })
        // Probes, and no more: the breaker spares an upstream that is down.
        #expect(worker.upstream.calls.count < 400 + 3 * 5 * 3_600 / 15)
        #expect(simulation.violations == [])
    }

    @Test func aPoisonRecordAmongHealthyOnesIsDeadLetteredAsExhausted() throws {
        let simulation = Simulation()
        simulation.reply = { $0.value == "poison" ? .timeout(after: .seconds(1)) : Reply(200) }
        simulation.cluster.append("poison")
        for index in 0..<3_000 {
            simulation.after(.milliseconds(200 * index)) { simulation.cluster.append("ok") }
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(700))
        #expect(simulation.cluster.outcome(0)?.fate == "dead_lettered")
        #expect(simulation.cluster.outcome(0)?.attempts == 10)
        #expect(simulation.cluster.letters.count == 1)
        let letter = try #require(simulation.cluster.letters.first)
        #expect(letter.key == simulation.cluster.outcome(0)?.deadLetterID)
        #expect(letter.value.header("dlq.class") == "exhausted")
        #expect(simulation.violations == [])
    }

    @Test func aHeldLaneKeepsItsRecordsAndOthersGoOn() throws {
        let simulation = Simulation()
        for index in 0..<60 {
            simulation.cluster.append(
                "\(index)",
                headers: [RecordHeader("lane", index % 3 == 0 ? "broken" : "fine")]
            )
        }
        var isBroken = true
        simulation.reply = { $0.lane == "broken" && isBroken ? Reply(401) : Reply(200) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(3_600))
        #expect(simulation.cluster.fates().compactMap(\.self).count == 40)
        #expect(simulation.cluster.letters.isEmpty)
        #expect(worker.upstream.calls.filter { $0.lane == "broken" }.count < 50)
        isBroken = false
        #expect(try simulation.settleEverything(within: .seconds(400)))
        #expect(worker.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func anUpstreamHeldAsAWholeIsProbedByOneCallAtATime() throws {
        let simulation = Simulation()
        for index in 0..<100 { simulation.cluster.append("\(index)") }
        var isBroken = true
        simulation.reply = { _ in isBroken ? Reply(402) : Reply(200) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1_000))
        #expect(worker.upstream.calls.count < 64 + 12)
        isBroken = false
        #expect(try simulation.settleEverything(within: .seconds(400)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func aProbeOfTheUpstreamThatFindsItsLaneHeldIsFollowedByAnother() throws {
        let simulation = Simulation { $0.concurrency = 1 }
        for index in 0..<30 {
            simulation.cluster.append(
                "\(index)",
                headers: [RecordHeader("lane", index < 15 ? "broken" : "fine")]
            )
        }
        // First the whole upstream is held; then it turns out that only one lane is broken.
        simulation.reply = { call in
            if call.at < 2_000_000_000 { return Reply(402) }
            return call.lane == "broken" && call.at < 300_000_000_000 ? Reply(401) : Reply(200)
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.fates().compactMap(\.self).count == 15)
        #expect(try simulation.settleEverything(within: .seconds(700)))
        #expect(simulation.violations == [])
    }

    @Test func aRunOfSuspectRejectionsHoldsTheLane() throws {
        let simulation = Simulation { $0.concurrency = 8 }
        for index in 0..<100 { simulation.cluster.append("\(index)") }
        var isBroken = true
        simulation.reply = { _ in isBroken ? Reply(403) : Reply(200) }
        simulation.startWorker()
        try simulation.run(for: .seconds(1_000))
        #expect(simulation.cluster.letters.count == 2)
        isBroken = false
        #expect(try simulation.settleEverything(within: .seconds(400)))
        #expect(simulation.cluster.letters.count == 2)
        #expect(simulation.violations == [])
    }

    @Test func expiredRecordsGetAnOutcomeEvenWhileTheBreakerIsOpen() throws {
        let simulation = Simulation {
            $0.concurrency = 4
            $0.deadline = .seconds(60)
        }
        for index in 0..<300 { simulation.cluster.append("\(index)", key: index < 50 ? "one" : nil) }
        simulation.reply = { _ in Reply(503) }
        let worker = simulation.startWorker()
        // Many more than the ready queue takes: those that expired must not keep the intake closed.
        #expect(try simulation.settleEverything(within: .seconds(75 + 60)))
        #expect(simulation.cluster.fates().allSatisfy { $0 == "expired" })
        #expect(simulation.cluster.letters.isEmpty)
        #expect(worker.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func aRecordOfAHeldLaneExpiresAndKeepsNobodyAwake() throws {
        let simulation = Simulation { $0.deadline = .seconds(30) }
        for index in 0..<5 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(401) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(40)))
        // The lane is held with nobody waiting for it.
        try simulation.run(for: .seconds(1_000))
        #expect(simulation.violations == [])
    }

    @Test(arguments: [Int64.max, .max - 1, .min, 0])
    func hostileTimestampsNeitherCrashNorPutTheDeadlineOutOfReach(timestamp: Int64) throws {
        let simulation = Simulation { $0.deadline = .seconds(60) }
        simulation.cluster.append("x", timestamp: timestamp)
        simulation.reply = { _ in Reply(503) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(70)))
        #expect(simulation.cluster.outcome(0)?.fate == "expired")
    }

    @Test func settingsWithoutBoundsNeitherCrashNorHang() throws {
        let forever = Duration.seconds(Int64.max)
        let simulation = Simulation {
            $0.deadline = forever
            $0.drainLimit = forever
            $0.commitLimit = forever
            $0.backoff = Backoff(base: .milliseconds(1), longest: forever)
            $0.breaker.longestPause = forever
            $0.lanes.longestPause = forever
        }
        for index in 0..<30 { simulation.cluster.append("\(index)") }
        simulation.reply = { $0.at < 2_000_000_000 ? Reply(503) : Reply(200) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(3_600)))
        simulation.worker.engine.stop()
        simulation.worker.wakesAt = .min
        #expect(try simulation.run(for: .seconds(5)) { simulation.worker.hasEnded })
    }

    /// Where an endpoint is in doubt, records that never failed go first. A copy is none of them.
    @Test func aCopyFromARetryTopicHasFailedBefore() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.retryTiers = [RetryTier(topic: "work.retry.5s", delay: .seconds(5))]
            $0.backoff = Backoff(base: .seconds(12), longest: .seconds(12))
        }
        simulation.cluster.append("bad")
        simulation.reply = { _ in SimulatedUpstream.Reply(409, after: .seconds(1)) }
        let worker = simulation.startWorker()
        var copies = 0
        for _ in 0..<300 {
            try simulation.run(for: .milliseconds(100))
            let table = worker.engine.table
            for id in table.ids {
                let source = worker.engine.assignments[table[id].assignment].partition.topic
                guard source == "work.retry.5s", table.kind(of: id) == .calling else { continue }
                copies += 1
                #expect(table[id].hasFailed)
            }
        }
        #expect(copies > 0)
    }
}

extension OutboundRecord {
    func header(_ name: String) -> String? {
        self.headers.last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
    }
}
