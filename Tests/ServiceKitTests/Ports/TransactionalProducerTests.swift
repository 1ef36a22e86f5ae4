import EmbeddedBroker
import EventThread
import Kafka
import Records
import ServiceKit
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TransactionalProducerTests {
    /// A producer and the answers and reports that it has told.
    private final class Writer {
        let producer: TransactionalProducer
        private(set) var answers: [Transactions.Answer] = []
        private(set) var reports = 0
        private(set) var errors: [KafkaError] = []

        init(_ address: String) throws {
            self.producer = try TransactionalProducer(
                TransactionalProducerTests.properties(address).merging(["transactional.id": "writer"]) { $1 }
            )
        }

        func serve(until isEnough: (Writer) -> Bool) {
            while !isEnough(self) {
                // Each `open` but the first brings another descriptor.
                var wait = Wait(on: [self.producer.descriptor])
                wait(atMost: .milliseconds(100))
                self.producer.serve { event in
                    switch event {
                    case .answered(let answer): self.answers.append(answer)
                    case .reported(_, let error):
                        if let error { self.errors.append(error) }
                        self.reports += 1
                    case .lost, .failed, .logged: break
                    }
                }
            }
        }

        func open() throws {
            try self.producer.open()
            let count = self.answers.count
            self.serve { $0.answers.count > count }
        }

        func send(_ text: String) throws {
            try self.producer.send(
                OutboundRecord(topic: "work", value: Array(text.utf8), partition: 0),
                id: 0
            )
            let count = self.reports
            self.serve { $0.reports > count }
        }

        func commit() {
            self.producer.commit()
            let count = self.answers.count
            self.serve { $0.answers.count > count }
        }
    }

    private static func properties(_ address: String) -> [String: String] {
        ["bootstrap.servers": address, "log_level": "0", "linger.ms": "1", "fetch.wait.max.ms": "10"]
    }

    /// Everything in the topic that a reader of committed records sees.
    private static func committed(_ address: String) throws -> [String] {
        let readCommitted = ["isolation.level": "read_committed"]
        let reader = try TopicReader(
            ["work"],
            from: .beginning,
            Self.properties(address).merging(readCommitted) { $1 },
            atMost: .seconds(30)
        )
        var wait = Wait(on: [reader.descriptor])
        var texts: [String] = []
        var fatal: KafkaError?
        while !reader.isAtEnd, fatal == nil {
            wait(atMost: .milliseconds(100))
            reader.read(atMost: 100) {
                texts.append(String(decoding: $0.value ?? [], as: UTF8.self))
            } _: {
                if $0.isFatal { fatal = $0 }
            }
        }
        if let fatal { throw fatal }
        return texts
    }

    /// Runs a body on a thread of its own, which may wait. An expectation there would belong to no test, so the
    /// body returns what the test expects.
    private static func withBroker<Result: Sendable>(
        _ body: @escaping @Sendable (String) throws -> Result
    ) async throws -> Result {
        let broker = try await EmbeddedBroker.start()
        do {
            try await broker.createTopic("work", partitions: 1)
            let address = broker.address
            let result = try await EventThread.run { try body(address) }
            await broker.stop()
            return result
        } catch {
            await broker.stop()
            throw error
        }
    }

    /// If the second `open` went on with the first client, its transaction would still be open and be committed.
    @Test func aProducerThatIsMadeAnewLeavesNothingOfItsOldTransaction() async throws {
        let (answers, errors, committed) = try await Self.withBroker { address in
            let writer = try Writer(address)
            defer { writer.producer.retire() }
            try writer.open()
            try writer.send("old")
            try writer.open()
            try writer.send("new")
            writer.commit()
            return (writer.answers, writer.errors, try Self.committed(address))
        }
        #expect(answers == [.opened, .opened, .committed])
        #expect(errors == [] && committed == ["new"])
    }

    /// A member that has lost its group cannot commit; the answer comes although no broker was asked.
    @Test func aCommitWithoutAStandingInTheGroupIsRefused() async throws {
        let answers = try await Self.withBroker { address in
            let writer = try Writer(address)
            defer { writer.producer.retire() }
            try writer.open()
            writer.producer.commit([], of: nil)
            writer.serve { $0.answers.count == 2 }
            return writer.answers
        }
        guard case .failed(let error)? = answers.last else {
            Issue.record("\(answers)")
            return
        }
        #expect(error.code == .unknownMember && error.requiresAbort)
    }
}
