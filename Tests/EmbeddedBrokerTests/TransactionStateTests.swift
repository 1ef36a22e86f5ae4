import Testing

@testable import EmbeddedBroker

struct TransactionStateTests {
    private static let partition = TopicPartition(topic: "t", partition: 0)

    private func producer(_ epoch: Int16, id: Int64 = 1) -> ProducerIdentity {
        ProducerIdentity(id: id, epoch: epoch)
    }

    /// One that its producer has just begun with: id 1, epoch 0.
    private func transaction() -> Transaction {
        var transaction = Transaction("w", producerID: 1, timeout: .seconds(1))
        #expect(transaction.begin() == .ready(self.producer(0)))
        return transaction
    }

    @Test func eachNewProducerHasANewEpoch() {
        var transaction = self.transaction()
        #expect(transaction.begin() == .ready(self.producer(1)))
        #expect(transaction.begin() == .ready(self.producer(2)))
        #expect(transaction.add(partitions: [Self.partition], by: self.producer(1)) == .producerFenced)
        #expect(
            transaction.add(partitions: [Self.partition], by: self.producer(2, id: 9))
                == .invalidProducerIDMapping
        )
        #expect(transaction.add(partitions: [Self.partition], by: self.producer(2)) == nil)
    }

    /// KIP-360: a producer bumps its own epoch after an error; asked twice it is bumped once.
    @Test func aProducerMayGoOnWithANewEpochUnlessSomebodyElseHas() {
        var transaction = self.transaction()
        #expect(transaction.begin(self.producer(0)) == .ready(self.producer(1)))
        #expect(transaction.begin(self.producer(0)) == .ready(self.producer(1)))
        #expect(transaction.begin() == .ready(self.producer(2)))
        #expect(transaction.begin(self.producer(1)) == .refused(.producerFenced))
        #expect(transaction.begin(self.producer(2, id: 9)) == .refused(.producerFenced))
    }

    @Test func whatIsOpenIsAbortedBeforeANewProducerBegins() {
        var transaction = self.transaction()
        _ = transaction.add(partitions: [Self.partition], by: self.producer(0))
        #expect(transaction.begin() == .abortFirst)
        transaction.fence()
        #expect(transaction.state == .ending(.abort))
        #expect(transaction.producer == self.producer(1))
        #expect(transaction.begin() == .refused(.concurrentTransactions))
        transaction.markersWritten()
        #expect(transaction.begin() == .ready(self.producer(2)))
        #expect(transaction.end(.commit, by: self.producer(0)) == .producerFenced)
    }

    @Test func usedUpEpochsMeanANewProducerID() {
        var transaction = self.transaction()
        for epoch in 1..<Int16.max { #expect(transaction.begin() == .ready(self.producer(epoch))) }
        #expect(transaction.begin() == .ready(self.producer(0, id: 99)))
    }

    /// The answer to an EndTxn in every state.
    @Test(arguments: [TransactionOutcome.commit, .abort])
    func anEndCanBeAskedForAgainButNotChanged(outcome: TransactionOutcome) {
        let other: TransactionOutcome = outcome == .commit ? .abort : .commit
        var transaction = self.transaction()
        #expect(transaction.end(outcome, by: self.producer(0)) == .invalidTransactionState)
        _ = transaction.add(partitions: [Self.partition], by: self.producer(0))
        #expect(transaction.end(outcome, by: self.producer(0)) == nil)
        #expect(transaction.end(outcome, by: self.producer(0)) == .concurrentTransactions)
        #expect(transaction.end(other, by: self.producer(0)) == .invalidTransactionState)
        #expect(transaction.add(partitions: [], by: self.producer(0)) == .concurrentTransactions)
        transaction.markersWritten()
        #expect(transaction.end(outcome, by: self.producer(0)) == nil)
        #expect(transaction.state == .ended(outcome))
        #expect(transaction.end(other, by: self.producer(0)) == .invalidTransactionState)
    }

    @Test func onlyWhatWasAddedMayBeWritten() {
        var transaction = self.transaction()
        let other = TopicPartition(topic: "t", partition: 1)
        #expect(
            transaction.refusal(ofWriting: Self.partition, by: self.producer(0)) == .invalidTransactionState
        )
        _ = transaction.add(partitions: [Self.partition], groups: ["g"], by: self.producer(0))
        #expect(transaction.refusal(ofWriting: Self.partition, by: self.producer(0)) == nil)
        #expect(transaction.refusal(ofWriting: other, by: self.producer(0)) == .invalidTransactionState)
        #expect(
            transaction.refusal(ofWriting: Self.partition, by: self.producer(-1)) == .invalidProducerEpoch
        )
        #expect(transaction.refusal(ofCommitting: "g", by: self.producer(0)) == nil)
        #expect(transaction.refusal(ofCommitting: "h", by: self.producer(0)) == .invalidTransactionState)
        _ = transaction.end(.commit, by: self.producer(0))
        transaction.markersWritten()
        _ = transaction.add(partitions: [other], by: self.producer(0))
        #expect(
            transaction.refusal(ofWriting: Self.partition, by: self.producer(0)) == .invalidTransactionState
        )
    }
}

extension Transaction {
    fileprivate mutating func begin(_ known: ProducerIdentity? = nil) -> Admission {
        self.initialize(known, timeout: .seconds(1)) { 99 }
    }
}
