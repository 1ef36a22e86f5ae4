import CRdKafka
import Records
import Testing

@testable import EmbeddedBroker

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ChaosTests {
    /// The broker exists for this: a worker that reads, writes and commits in transactions, and that dies again and
    /// again while everything goes wrong that can, leaves each outcome exactly once, in order.
    @Test(arguments: [1, 2] as [UInt64])
    func everyOutcomeIsThereOnceWhateverGoesWrong(seed: UInt64) async throws {
        var settings = BrokerSettings()
        settings.seed = seed
        try await withBroker(settings, topics: ["work": 2, "results": 2]) { broker in
            let sent = (0..<120).map { number in
                OutboundRecord(topic: "work", value: Array("\(number)".utf8), partition: Int32(number % 2))
            }
            _ = try publish(sent, to: broker)
            try await broker.setFaults(Self.everything)
            var dice = Dice(seed: seed)
            var deaths = 0
            let deadline = ContinuousClock.now + .seconds(120)
            while try Self.done(broker) < 120, ContinuousClock.now < deadline {
                // Each worker may make so many steps, and the last one all it needs.
                let life = deaths < 4 ? Int.random(in: 5...25, using: &dice) : .max
                try await self.work(on: broker, for: life, until: deadline)
                deaths += 1
            }
            try await broker.setFaults(BrokerFaults())
            let counts = try await broker.faultCounts()
            #expect(deaths > 4)
            #expect(counts.unansweredEnds > 0)
            #expect(counts.unansweredProduces > 0)
            let results = try contents(of: "results", broker)
            for partition in 0..<2 {
                let values = results.filter { $0.partition == partition }.map {
                    String(decoding: $0.value ?? [], as: UTF8.self)
                }
                #expect(values == stride(from: partition, to: 120, by: 2).map { "\($0)" }, "seed \(seed)")
            }
        }
    }

    private static var everything: BrokerFaults {
        var faults = BrokerFaults()
        faults.latency = .zero ... .milliseconds(2)
        faults.refusedProduceShare = 0.1
        faults.unansweredProduceShare = 0.1
        faults.unansweredEndShare = 0.1
        faults.markerDelay = .zero ... .milliseconds(20)
        return faults
    }

    /// How much is committed.
    private static func done(_ broker: EmbeddedBroker) throws -> Int64 {
        let client = try RawClient(broker)
        return try ([0, 1] as [Int32]).reduce(0) { sum, partition in
            let committed = try client.committedOffset("workers", "work", partition, mustBeStable: false)
            return sum + max(0, committed.offset)
        }
    }

    /// One life of a worker: it ends at an error, or without a word in the middle of a step.
    private func work(on broker: EmbeddedBroker, for steps: Int, until deadline: ContinuousClock.Instant)
        async throws
    {
        let hurry = ["reconnect.backoff.ms": "1", "reconnect.backoff.max.ms": "20", "retry.backoff.ms": "5"]
        let producer = try TransactionalProducer(broker, id: "worker", hurry)
        let more = ["session.timeout.ms": "1000", "isolation.level": "read_committed"]
        let member = try NativeMember(broker, group: "workers", topic: "work", more.merging(hurry) { $1 })
        defer { member.vanish() }
        do {
            try producer.initialize()
            for step in 0..<steps {
                if step % 10 == 7 { try await broker.cutConnections() }
                if step % 25 == 12 { try await broker.moveCoordinators(for: .milliseconds(100)) }
                // Few at a time: what counts is how many transactions there are.
                let isMore = try poll(member) { try !member.records.isEmpty || Self.done(broker) == 120 }
                let records = member.takeRecords()
                guard isMore, !records.isEmpty, ContinuousClock.now < deadline else { return }
                try producer.begin()
                for record in records { try producer.send("results", record.partition, record.value) }
                let next = Dictionary(records.map { ($0.partition, $0.offset + 1) }) { $1 }
                let offsets = NativePartitions(next.map { ("work", $0.key, $0.value, "") })
                try producer.sendOffsets(offsets, of: try member.metadata())
                if step == steps - 1 { return }
                try producer.commit()
            }
        } catch is NativeError {
            // A worker that starts again gets over any error.
        }
    }
}
