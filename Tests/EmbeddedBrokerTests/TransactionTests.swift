import CRdKafka
import Testing

@testable import EmbeddedBroker

@Suite(.serialized, .timeLimit(.minutes(10)))
struct TransactionTests {
    private func producer(_ broker: EmbeddedBroker, _ more: [String: String] = [:]) throws
        -> TransactionalProducer
    {
        let producer = try TransactionalProducer(broker, id: "worker-1", more)
        try producer.initialize()
        return producer
    }

    @Test func readersSeeWhatIsCommittedAndNothingElse() async throws {
        try await withBroker(topics: ["results": 2]) { broker in
            let producer = try self.producer(broker)
            try producer.begin()
            for number in 0..<4 { try producer.send("results", Int32(number % 2), "a\(number)") }
            try producer.flush()
            #expect(try values(of: "results", broker).isEmpty)
            #expect(try values(of: "results", broker, "read_uncommitted").count == 4)
            let client = try RawClient(broker)
            #expect(try client.offset("results", 0, at: -1, .readCommitted) == 0)
            #expect(try client.offset("results", 0, at: -1, .readUncommitted) == 2)
            try producer.commit()
            #expect(try client.offset("results", 0, at: -1, .readCommitted) == 3)
            #expect(try values(of: "results", broker).sorted() == ["a0", "a1", "a2", "a3"])
            try producer.begin()
            for number in 0..<4 { try producer.send("results", Int32(number % 2), "b\(number)") }
            try producer.flush()
            try producer.abort()
            try producer.begin()
            try producer.send("results", 0, "c0")
            try producer.commit()
            #expect(try values(of: "results", broker).sorted() == ["a0", "a1", "a2", "a3", "c0"])
            #expect(try values(of: "results", broker, "read_uncommitted").count == 9)
        }
    }

    /// Transactions of others that are open hold readers back; those that are aborted are left out one by one.
    @Test func transactionsOfSeveralProducersKeepApart() async throws {
        try await withBroker(topics: ["results": 1]) { broker in
            let producers = try (0..<3).map { number in
                let producer = try TransactionalProducer(broker, id: "worker-\(number)")
                try producer.initialize()
                try producer.begin()
                return producer
            }
            for round in 0..<3 {
                for (number, producer) in producers.enumerated() {
                    try producer.send("results", 0, "\(number)-\(round)")
                    try producer.flush()
                }
            }
            try producers[1].abort()
            try producers[2].commit()
            #expect(try values(of: "results", broker).isEmpty)
            try producers[0].commit()
            #expect(try values(of: "results", broker) == ["0-0", "2-0", "0-1", "2-1", "0-2", "2-2"])
        }
    }

    @Test func offsetsAreCommittedWithTheirTransactionOrDropped() async throws {
        try await withBroker(topics: ["work": 1, "results": 1]) { broker in
            let producer = try self.producer(broker)
            let group = GroupMetadata(group: "workers")
            try producer.begin()
            try producer.send("results", 0, "a")
            try producer.sendOffsets(NativePartitions([("work", 0, 5, "djE6AQIDBA==")]), of: group)
            try producer.commit()
            #expect(try committed("work", by: "workers", broker) == ["5 djE6AQIDBA=="])
            try producer.begin()
            try producer.sendOffsets(NativePartitions([("work", 0, 9, "")]), of: group)
            try producer.abort()
            #expect(try committed("work", by: "workers", broker) == ["5 djE6AQIDBA=="])
        }
    }

    /// A consumer that takes a partition over must not start from an offset that a transaction is about to
    /// move.
    @Test func undecidedOffsetsAreNotToldToWhoeverWantsStableOnes() async throws {
        try await withBroker(topics: ["work": 1]) { broker in
            let producer = try self.producer(broker)
            try producer.begin()
            try producer.sendOffsets(
                NativePartitions([("work", 0, 5, "")]),
                of: GroupMetadata(group: "workers")
            )
            let client = try RawClient(broker)
            #expect(
                try client.committedOffset("workers", "work", 0, mustBeStable: true).error
                    == .unstableOffsetCommit
            )
            #expect(try client.committedOffset("workers", "work", 0, mustBeStable: false).offset == -1)
            try producer.commit()
            let stable = try client.committedOffset("workers", "work", 0, mustBeStable: true)
            #expect(stable.error == ErrorCode.none)
            #expect(stable.offset == 5)
        }
    }

    @Test func aNewerProducerAbortsAndFencesTheOldOne() async throws {
        try await withBroker(topics: ["results": 1]) { broker in
            let old = try self.producer(broker)
            try old.begin()
            try old.send("results", 0, "zombie")
            try old.flush()
            let new = try self.producer(broker)
            let error = #expect(throws: NativeError.self) { try old.commit() }
            #expect(error?.name == "_FENCED")
            #expect(error?.isFatal == true)
            try new.begin()
            try new.send("results", 0, "fresh")
            try new.commit()
            #expect(try values(of: "results", broker) == ["fresh"])
        }
    }

    /// The zombie has begun and sent nothing: it learns of its successor when it does.
    @Test func aZombieCannotWriteEvenInANewTransaction() async throws {
        try await withBroker(topics: ["results": 1]) { broker in
            let old = try self.producer(broker)
            let new = try self.producer(broker)
            try old.begin()
            try old.send("results", 0, "zombie")
            let error = #expect(throws: NativeError.self) { try old.commit() }
            #expect(error?.name == "_FENCED")
            try new.begin()
            try new.commit()
            #expect(try values(of: "results", broker, "read_uncommitted").isEmpty)
        }
    }

    @Test func offsetsOfAnOldGenerationAreRefused() async throws {
        try await withBroker(topics: ["work": 2, "results": 1]) { broker in
            let first = try NativeMember(broker, group: "workers", topic: "work")
            #expect(poll(first) { first.partitions == [0, 1] })
            let old = try first.metadata()
            let second = try NativeMember(broker, group: "workers", topic: "work")
            #expect(poll(first, second) { first.partitions.count == 1 && second.partitions.count == 1 })
            let producer = try self.producer(broker)
            try producer.begin()
            try producer.send("results", 0, "late")
            let error = #expect(throws: NativeError.self) {
                try producer.sendOffsets(NativePartitions([("work", 0, 5, "")]), of: old)
            }
            #expect(error?.name == "ILLEGAL_GENERATION")
            #expect(error?.mustAbort == true)
            try producer.abort()
            try producer.begin()
            try producer.send("results", 0, "right")
            try producer.sendOffsets(NativePartitions([("work", 0, 5, "")]), of: try first.metadata())
            try producer.commit()
            #expect(try values(of: "results", broker) == ["right"])
        }
    }

    @Test func aTransactionThatTakesTooLongIsAborted() async throws {
        try await withBroker(topics: ["results": 1]) { broker in
            let producer = try self.producer(broker, ["transaction.timeout.ms": "1000"])
            try producer.begin()
            try producer.send("results", 0, "late")
            try producer.flush()
            // Its marker is a record of its own: a reader of what is uncommitted is at 2 then.
            let client = try RawClient(broker)
            let deadline = ContinuousClock.now + .seconds(20)
            while try client.endOffset("results", 0) < 2, ContinuousClock.now < deadline {}
            #expect(try client.endOffset("results", 0) == 2)
            let error = #expect(throws: NativeError.self) { try producer.commit() }
            #expect(error?.name == "_FENCED")
            #expect(try values(of: "results", broker).isEmpty)
        }
    }

    /// The answer to a commit is lost: the producer asks again, and the transaction is committed once.
    @Test func aLostAnswerToACommitIsAskedForAgain() async throws {
        try await withBroker(topics: ["work": 1, "results": 1]) { broker in
            let producer = try self.producer(broker, ["reconnect.backoff.ms": "1", "retry.backoff.ms": "1"])
            var faults = BrokerFaults()
            faults.unansweredEndShare = 0.5
            try await broker.setFaults(faults)
            for round in 0..<10 {
                try producer.begin()
                try producer.send("results", 0, "\(round)")
                let offsets = NativePartitions([("work", 0, Int64(round), "")])
                try producer.sendOffsets(offsets, of: GroupMetadata(group: "workers"))
                try producer.commit()
            }
            #expect(try await broker.faultCounts().unansweredEnds > 0)
            #expect(try values(of: "results", broker) == (0..<10).map { "\($0)" })
            #expect(try committed("work", by: "workers", broker) == ["9 "])
        }
    }

    /// Kafka answers the commit before the markers are written; the next transaction has to wait for them.
    @Test func markersThatTakeTheirTimeHoldUpTheNextTransactionOnly() async throws {
        try await withBroker(topics: ["results": 1]) { broker in
            let producer = try self.producer(broker)
            var faults = BrokerFaults()
            faults.markerDelay = .milliseconds(300) ... .milliseconds(300)
            try await broker.setFaults(faults)
            for round in 0..<3 {
                try producer.begin()
                try producer.send("results", 0, "\(round)")
                try producer.commit()
            }
            #expect(try values(of: "results", broker).prefix(2) == ["0", "1"])
            let client = try RawClient(broker)
            let deadline = ContinuousClock.now + .seconds(20)
            while try client.endOffset("results", 0) < 6, ContinuousClock.now < deadline {}
            #expect(try values(of: "results", broker) == ["0", "1", "2"])
        }
    }

    @Test func idsAndTimeoutsThatMakeNoSenseAreRefused() async throws {
        try await withBroker { broker in
            let producer = try TransactionalProducer(broker, id: "w", ["transaction.timeout.ms": "1000000"])
            let error = #expect(throws: NativeError.self) { try producer.initialize() }
            #expect(error?.name == "INVALID_TRANSACTION_TIMEOUT")
        }
    }
}
