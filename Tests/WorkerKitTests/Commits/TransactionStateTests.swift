import Kafka
import Records
import ServiceKit
import Testing
import WireFormats

@testable import WorkerKit

struct TransactionStateTests {
    private var transaction = TransactionState()
    private var table = RecordTable(endpoints: 1)
    private var random = SplitMix64(seed: 1)
    private var offset: Int64 = 0
    private let position = CommittedPosition(
        partition: TopicPartition(topic: "work", partition: 0),
        offset: 8
    )
    private let error = KafkaError(code: .timedOut, message: "no answer")
    private let abortable = KafkaError(code: .timedOut, message: "no answer", requiresAbort: true)

    /// A record whose outcome is to be sent.
    private mutating func settling(_ key: String? = nil) -> EntryID {
        self.offset += 1
        let id = self.table.add(
            .undated(offset: self.offset, key: key.map { Array($0.utf8) })
        )
        let outcome = OutboundRecord(topic: "result", partition: 0)
        self.table.move(id, to: .settling(Publication([outcome], for: .end(Settlement(fate: .succeeded)))))
        return id
    }

    private mutating func join(_ id: EntryID) -> Bool {
        let isIn = self.transaction.join(id, in: &self.table)
        if !isIn { self.table.waitForTransaction(id) }
        return isIn
    }

    /// The broker has acknowledged the outcome.
    private mutating func write(_ id: EntryID) {
        guard let publication = self.table[id].state.publication else { return }
        self.table.move(id, to: .written(publication))
    }

    private mutating func open() {
        #expect(self.transaction.nextStep(at: 0) == .open)
        #expect(self.transaction.opened(at: 0) == true)
        self.transaction.begin()
    }

    /// All that wait and may be sent.
    private mutating func sent() -> [EntryID] {
        var ids: [EntryID] = []
        while let id = self.transaction.nextWaiting(in: &self.table) {
            ids.append(id)
            _ = self.join(id)
        }
        return ids
    }

    @Test mutating func aRecordWaitsForTheFirstTransactionAndIsFinishedByItsCommit() {
        let id = self.settling()
        #expect(self.join(id) == false)
        self.open()
        #expect(self.transaction.nextStep(at: 0) == nil)
        #expect(self.sent() == [id])
        #expect(self.transaction.members == [id])
        self.transaction.close()
        #expect(self.transaction.nextStep(at: 0) == .commit)
        #expect(self.transaction.commit([self.position]) == true)
        #expect(self.transaction.isInDoubt)
        #expect(self.transaction.committed() == [id])
        self.transaction.begin()
        #expect(self.transaction.isOpen && self.transaction.isEmpty && !self.transaction.isInDoubt)
    }

    @Test mutating func aTransactionThatIsDueTakesNoNewRecords() {
        self.open()
        let first = self.settling()
        #expect(self.join(first) == true)
        self.transaction.close()
        let late = self.settling()
        #expect(self.join(late) == false)
        // A member may still send its second record, such as the outcome after a dead letter.
        #expect(self.join(first) == true)
        #expect(self.transaction.commit([self.position]) == true)
        #expect(self.join(first) == false)
    }

    @Test mutating func anEmptyTransactionStaysOpen() {
        self.open()
        self.transaction.close()
        #expect(self.transaction.commit([]) == false)
        #expect(self.transaction.isOpen)
    }

    @Test mutating func theTimeOfTheNextStepIsThatOfTheCommitUnlessTheTransactionIsBroken() {
        #expect(self.transaction.nextTime(whenDue: 7) == .min)
        self.open()
        #expect(self.transaction.nextTime(whenDue: 7) == 7)
        #expect(self.transaction.nextTime(whenDue: nil) == nil)
        #expect(self.transaction.broken(at: 0, using: &self.random) == true)
        let abort = self.transaction.nextTime(whenDue: nil)
        #expect(abort ?? 0 > 0)
        #expect(self.transaction.nextStep(at: (abort ?? 0) - 1) == nil)
        #expect(self.transaction.nextStep(at: abort ?? 0) == .abort)
    }

    /// Otherwise a row of failures would put the abort off until the cluster ends the transaction by itself.
    @Test mutating func onlyTheFirstFailureOfATransactionPutsTheAbortOff() {
        self.open()
        #expect(self.transaction.broken(at: 0, using: &self.random) == true)
        let abort = self.transaction.nextTime(whenDue: nil)
        #expect(self.transaction.broken(at: 1_000_000_000, using: &self.random) == false)
        #expect(self.transaction.nextTime(whenDue: nil) == abort)
    }

    @Test mutating func afterAnAbortTheRecordsOfAKeyAreSentOneAfterTheOther() {
        self.open()
        let (a1, a2, b1) = (self.settling("a"), self.settling("a"), self.settling("b"))
        for id in [a1, a2, b1] {
            #expect(self.join(id) == true)
            self.write(id)
        }
        let a3 = self.settling("a")
        self.transaction.close()
        #expect(self.join(a3) == false)
        #expect(self.transaction.undone(in: &self.table, order: .key) == [])
        self.transaction.begin()
        #expect(self.sent() == [a1, b1])
        let key = OrderingKey(partition: 0, key: Array("a".utf8))
        #expect(self.transaction.isItsTurn(self.settling("a"), in: key) == false)
        #expect(self.transaction.written(a2, in: key) == nil)
        #expect(self.transaction.written(a1, in: key) == a2)
        #expect(self.transaction.written(a2, in: key) == a3)
        #expect(self.table[a2].state.publication?.isInTransaction == false)
    }

    @Test mutating func recordsWithoutAnOrderGoBeforeThoseThatWaited() {
        self.open()
        let ids = [self.settling(), self.settling()]
        for id in ids { #expect(self.join(id) == true) }
        self.transaction.close()
        let late = self.settling()
        #expect(self.join(late) == false)
        #expect(self.transaction.undone(in: &self.table, order: .key) == [])
        self.transaction.begin()
        #expect(self.sent() == ids + [late])
    }

    /// Neither a commit nor an abort may be assumed: the group's committed offsets tell.
    @Test mutating func aCommitThatWasNeverAnsweredIsDecidedByTheCommittedOffsets() {
        self.open()
        let id = self.settling()
        #expect(self.join(id) == true)
        self.transaction.close()
        #expect(self.transaction.commit([self.position]) == true)
        #expect(self.transaction.failed(self.error, at: 0, using: &self.random) == false)
        let retry = self.transaction.nextTime(whenDue: nil) ?? .max
        #expect(self.transaction.nextStep(at: retry) == .open)
        #expect(self.transaction.opened(at: retry) == false)
        #expect(self.transaction.nextStep(at: retry) == .decide)
        self.transaction.undecided(until: retry + 1)
        #expect(self.transaction.nextStep(at: retry) == nil)
        #expect(self.transaction.nextStep(at: retry + 1) == .decide)
        #expect(self.transaction.committed() == [id])
    }

    @Test mutating func aCommitThatHasToBeAbortedIsAbortedAndInNoDoubt() {
        self.open()
        #expect(self.join(self.settling()) == true)
        self.transaction.close()
        #expect(self.transaction.commit([self.position]) == true)
        #expect(self.transaction.failed(self.abortable, at: 0, using: &self.random) == true)
        #expect(self.transaction.isInDoubt == false)
        #expect(self.transaction.stage == .aborting)
    }

    @Test mutating func aTransactionWithRecordsOfALostPartitionIsNeverCommitted() {
        self.open()
        #expect(self.join(self.settling()) == true)
        self.transaction.forgetMembers()
        #expect(self.transaction.isBroken && self.transaction.isEmpty)
        #expect(self.join(self.settling()) == false)
        self.transaction.close()
        #expect(self.transaction.nextStep(at: 0) == .abort)
    }

    /// More records than the brokers write before they end a transaction were once sent again and again.
    @Test mutating func whatDidNotGetThroughTwiceIsHalved() {
        self.open()
        for _ in 0..<400 { _ = self.join(self.settling()) }
        for expected in [400, 200, 100, 50, 32, 32] {
            #expect(self.transaction.broken(at: 0, using: &self.random) == true)
            _ = self.transaction.undone(in: &self.table, order: .none)
            self.transaction.begin()
            #expect(self.sent().count == expected)
        }
        for expected in [64, 128, 176] {
            let members = self.transaction.committed()
            for id in members { self.table.remove(id) }
            self.transaction.begin()
            #expect(self.sent().count == expected)
        }
    }

    @Test mutating func nobodyJoinsWhileTheProducersQueueIsFull() throws {
        self.open()
        let (first, second) = (self.settling(), self.settling())
        #expect(self.join(first) == true)
        let publication = try #require(self.table[first].state.publication)
        self.table.move(first, to: .resending(publication))
        #expect(self.join(second) == false)
        #expect(self.sent() == [])
        #expect(self.join(first) == true)
        self.table.move(first, to: .settling(publication))
        #expect(self.sent() == [second])
    }
}
