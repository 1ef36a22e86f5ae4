import Testing

@testable import WorkerKit

/// The time for which a call may hang while others wait.
struct UsualTimeTests {
    private var time = UsualTime()

    private static func at(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

    private mutating func answer(_ count: Int, after seconds: Double, at now: Double = 100) {
        for _ in 0..<count { self.time.answered(after: Self.at(seconds), at: Self.at(now)) }
    }

    private func patience(at now: Double = 100) -> Double {
        Double(self.time.patience(at: Self.at(now))) / 1_000_000_000
    }

    @Test mutating func aSlowEndpointIsGivenTenTimesItsUsualTime() {
        #expect(self.time.patience(at: 0) == .max)
        self.answer(1, after: 0.3)
        #expect(self.patience() == 3)
        self.answer(200, after: 0.3)
        #expect((2.8...3.4).contains(self.patience()))
        self.answer(200, after: 0.02)
        #expect(self.patience() == 1)
    }

    /// Twelve answers in a hundred take ten seconds.
    @Test mutating func aFewSlowAnswersDoNotMoveTheMedian() {
        for _ in 0..<100 {
            self.answer(22, after: 0.02)
            self.answer(3, after: 10)
        }
        #expect(self.patience() == 1)
    }

    @Test mutating func whoCutsInVainIsMorePatientEachTimeAndForgets() {
        self.answer(200, after: 0.02, at: 100)
        self.time.cut(at: Self.at(100.5))
        #expect(self.patience() == 1 && !self.time.isInDoubt(at: Self.at(100.5)))
        self.time.cut(at: Self.at(101))
        #expect(self.patience(at: 101) == 2 && self.time.isInDoubt(at: Self.at(101)))
        self.time.cut(at: Self.at(101.9))
        #expect(self.patience(at: 102) == 2)
        for second in [102, 104, 108, 116, 140, 180] as [Double] { self.time.cut(at: Self.at(second)) }
        #expect(self.patience(at: 180) == 64)
        #expect(!self.time.isInDoubt(at: Self.at(191)))
        #expect(self.patience(at: 241) == 1)
        // An answer that took too long says nothing; one in time ends the doubt.
        self.answer(1, after: 1.5, at: 181)
        #expect(self.time.isInDoubt(at: Self.at(181)))
        self.answer(1, after: 0.9, at: 182)
        #expect(self.patience(at: 182) == 1 && !self.time.isInDoubt(at: Self.at(182)))
    }

    /// Sound records need two seconds where most are refused at once: the first ones that were cut short show it.
    @Test mutating func whatIsAnsweredAtItsSecondCallGivesOthersTheTime() {
        self.answer(200, after: 0.04)
        self.time.secondCallEnded(isAnswered: true, after: Self.at(2))
        #expect(self.patience() == 1)
        for _ in 0..<3 { self.time.secondCallEnded(isAnswered: true, after: Self.at(2)) }
        #expect((1.9...2.1).contains(self.patience()))
        // Calls that hang take it away again.
        for _ in 0..<8 { self.time.secondCallEnded(isAnswered: false, after: Self.at(10)) }
        #expect(self.patience() == 1)
    }
}
