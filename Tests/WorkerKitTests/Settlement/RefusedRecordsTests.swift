import Kafka
import Records
import ServiceKit
import Testing

@testable import WorkerKit

struct RefusedRecordsTests {
    private var refused = RefusedRecords()
    private var table = RecordTable(endpoints: 1)
    private var random = SplitMix64(seed: 1)
    private let backoff = Backoff(base: .seconds(1), longest: .seconds(60))

    private static func at(_ second: Int64) -> Moment { Moment(monotonic: second * 1_000_000_000, wall: 0) }

    /// A record whose outcome was sent.
    private mutating func settling() -> EntryID {
        let id = self.table.add(
            .undated(offset: 1)
        )
        self.table.move(id, to: .settling(Publication([OutboundRecord(topic: "work.result")], for: .copy)))
        return id
    }

    private mutating func refuse(_ id: EntryID, at second: Int64) {
        self.refused.resendLater(
            id,
            self.backoff,
            in: &self.table,
            at: Self.at(second),
            using: &self.random
        )
    }

    private mutating func next(at second: Int64) -> EntryID? {
        self.refused.popDue(in: &self.table, at: Self.at(second).monotonic)
    }

    @Test mutating func waitsItsBackoffAndComesOnce() throws {
        let id = self.settling()
        #expect(self.refused.isEmpty && self.refused.nextDue == nil)
        self.refuse(id, at: 10)
        #expect(self.table.kind(of: id) == .resending && !self.refused.isEmpty)
        let due = try #require(self.refused.nextDue)
        #expect(due >= Self.at(10).monotonic && due <= Self.at(11).monotonic)
        #expect(self.refused.popDue(in: &self.table, at: due - 1) == nil)
        #expect(self.refused.popDue(in: &self.table, at: due) == id)
        #expect(self.next(at: 100) == nil && self.refused.isEmpty)
    }

    @Test mutating func eachRefusalInARowMakesTheWaitLonger() throws {
        let id = self.settling()
        var longest: Int64 = 0
        for round in 0..<8 {
            let start = Int64(round) * 1_000
            self.refuse(id, at: start)
            let due = try #require(self.refused.nextDue)
            longest = max(longest, due - Self.at(start).monotonic)
            #expect(self.next(at: start + 999) == id)
            let publication = try #require(self.table[id].state.publication)
            #expect(publication.refusals == round + 1)
            self.table.move(id, to: .settling(publication))
        }
        #expect(longest > Self.at(4).monotonic && longest <= Self.at(60).monotonic)
    }

    /// A transaction that was aborted, or a deadline, may take a record elsewhere while it waits.
    @Test mutating func whatHasLeftIsPassedOver() {
        let (gone, left) = (self.settling(), self.settling())
        self.refuse(gone, at: 0)
        self.refuse(left, at: 0)
        self.table.remove(gone)
        #expect(self.next(at: 100) == left && self.next(at: 100) == nil)
        let dropped = self.settling()
        self.refuse(dropped, at: 0)
        self.refused.removeAll()
        #expect(self.refused.isEmpty && self.next(at: 100) == nil)
    }

    @Test mutating func aReasonIsNewsOnce() {
        #expect(self.refused.refused(KafkaError(code: .timedOut, message: "late"), at: Self.at(1)) == true)
        #expect(self.refused.refused(KafkaError(code: .timedOut, message: "late"), at: Self.at(2)) == false)
        #expect(
            self.refused.refused(KafkaError(code: .connectionFailed, message: "gone"), at: Self.at(3)) == true
        )
        #expect(self.refused.trouble?.since == Self.at(1).monotonic)
        self.refused.endTrouble()
        #expect(self.refused.trouble == nil)
        #expect(
            self.refused.refused(KafkaError(code: .connectionFailed, message: "gone"), at: Self.at(4)) == true
        )
    }
}
