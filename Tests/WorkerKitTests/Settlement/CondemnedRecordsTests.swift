import Records
import ServiceKit
import Testing
import WireFormats

@testable import WorkerKit

struct CondemnedRecordsTests {
    private var condemned: CondemnedRecords
    private var table = RecordTable(endpoints: 1)
    private let rejection = Rejection(Reason("bad", "It is bad."), kind: .rejected, replayable: .no)
    private let account = DeadLetterBudgets.Account(lane: "lane", reason: "bad")

    init() {
        var settings = DeadLetterBudget.Settings()
        settings.letters = 2
        self.condemned = CondemnedRecords(settings)
    }

    /// Asks for the dead letter of a new record at this second, and writes it if the answer is yes.
    private mutating func reject(
        at second: Int64,
        against account: DeadLetterBudgets.Account? = nil
    ) -> (id: EntryID, answer: CondemnedRecords.Answer) {
        let id = self.table.add(
            .undated(offset: 1)
        )
        let (account, now) = (account ?? self.account, second * 1_000_000_000)
        let answer = self.condemned.letterWanted(
            of: id,
            self.rejection,
            against: account,
            in: &self.table,
            at: now
        )
        if answer == .yes { self.condemned.letterWritten(against: account, at: now) }
        return (id, answer)
    }

    private mutating func next(at second: Int64) -> EntryID? {
        let now = second * 1_000_000_000
        let letter = self.condemned.nextLetter(of: self.account, in: &self.table, at: now)
        if letter != nil { self.condemned.letterWritten(against: self.account, at: now) }
        return letter?.id
    }

    /// The window of a budget is five minutes.
    @Test mutating func recordsBeyondTheBudgetWaitAndGoInTheirOrder() {
        #expect(self.reject(at: 0).answer == .yes)
        #expect(self.reject(at: 100).answer == .yes)
        let (first, answer) = self.reject(at: 200)
        let room: Int64 = 300 * 1_000_000_000
        #expect(answer == .budgetExhausted(.letters(2, window: .seconds(300)), until: room))
        let (second, other) = self.reject(at: 210)
        #expect(other == .waitsBehindOthers)
        #expect(self.condemned.nextRoom(at: 210 * 1_000_000_000) == room)
        #expect(self.next(at: 299) == nil)
        #expect(self.next(at: 300) == first)
        #expect(self.next(at: 300) == nil)
        #expect(self.condemned.accounts == [self.account])
        #expect(self.next(at: 400) == second)
        #expect(self.next(at: 400) == nil)
        #expect(self.condemned.isEmpty)
    }

    /// Otherwise a later record would take the room that an earlier one has waited for.
    @Test mutating func aLaterRecordWaitsBehindOthersAlsoWhenTheBudgetHasRoom() {
        for second in [0, 1] as [Int64] { #expect(self.reject(at: second).answer == .yes) }
        let waiting = self.reject(at: 2).id
        let late = self.reject(at: 400)
        #expect(late.answer == .waitsBehindOthers)
        #expect(self.next(at: 400) == waiting)
        #expect(self.next(at: 400) == late.id)
    }

    @Test mutating func anotherLaneOrReasonGoesOn() {
        for _ in 0..<3 { _ = self.reject(at: 0) }
        let lane = DeadLetterBudgets.Account(lane: "another", reason: "bad")
        #expect(self.reject(at: 0, against: lane).answer == .yes)
        let reason = DeadLetterBudgets.Account(lane: "lane", reason: "worse")
        #expect(self.reject(at: 0, against: reason).answer == .yes)
    }

    @Test mutating func aRecordThatIsGoneIsPassedOver() {
        for _ in 0..<2 { _ = self.reject(at: 0) }
        let (gone, stays) = (self.reject(at: 0).id, self.reject(at: 0).id)
        self.table.remove(gone)
        #expect(self.next(at: 300) == stays)
    }

    @Test mutating func recordsThatAreParkedWaitNoMore() {
        for _ in 0..<3 { _ = self.reject(at: 0) }
        self.condemned.remove(from: self.account) { _ in true }
        #expect(self.condemned.isEmpty)
        #expect(self.condemned.nextRoom(at: 0) == nil)
    }
}
