import Testing

@testable import WorkerKit

/// The time for which a call may hang while others wait.
struct UsualTimeTests {
    private var time = UsualTime()

    private func at(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

    private mutating func answer(_ count: Int, after seconds: Double, at now: Double = 100) {
        for _ in 0..<count { self.time.answered(after: self.at(seconds), at: self.at(now)) }
    }

    private var patience: Double { Double(self.time.patience) / 1_000_000_000 }

    @Test mutating func aSlowEndpointIsGivenTenTimesItsUsualTime() {
        #expect(self.time.patience == .max)
        self.answer(1, after: 0.3)
        #expect(self.patience == 3)
        self.answer(200, after: 0.3)
        #expect((2.8...3.4).contains(self.patience))
        self.answer(200, after: 0.02)
        #expect(self.patience == 1)
    }

    /// Twelve answers in a hundred take ten seconds.
    @Test mutating func aFewSlowAnswersDoNotMoveTheMedian() {
        for _ in 0..<100 {
            self.answer(22, after: 0.02)
            self.answer(3, after: 10)
        }
        #expect(self.patience == 1)
    }

    @Test mutating func whoCutsInVainIsMorePatientEachTime() {
        self.answer(200, after: 0.02, at: 100)
        self.time.cut(at: self.at(100.5))
        #expect(self.patience == 1 && !self.time.isInDoubt)
        self.time.cut(at: self.at(101))
        #expect(self.patience == 2 && self.time.isInDoubt)
        self.time.cut(at: self.at(101.9))
        #expect(self.patience == 2)
        for second in [102, 104, 108, 116, 200, 300, 400, 500] { self.time.cut(at: self.at(Double(second))) }
        #expect(self.patience == 64)
        // An answer that took too long says nothing; one in time ends the doubt.
        self.answer(1, after: 1.5, at: 500)
        #expect(self.time.isInDoubt)
        self.answer(1, after: 0.9, at: 501)
        #expect(self.patience == 1 && !self.time.isInDoubt)
    }
}
