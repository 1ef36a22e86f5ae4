import Testing

@testable import WorkerKit

/// How long the calls of an endpoint take.
struct CallTimesTests {
    private var times = CallTimes()

    private func at(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

    /// Calls begin and end at once.
    private mutating func answer(_ count: Int, at seconds: Double) {
        for _ in 0..<count {
            self.times.began(at: self.at(seconds))
            self.times.took(self.at(0.02))
            self.times.ended(began: self.at(seconds))
        }
    }

    @Test mutating func anEndpointThatNobodyHasCalledMayBeSlow() {
        #expect(!self.times.areShort(at: self.at(100)))
        self.answer(20, at: 100)
        #expect(!self.times.areShort(at: self.at(101.9)))
        #expect(self.times.areShort(at: self.at(102)))
    }

    /// Six calls of a first eighteen are answered at once, and the others hang.
    @Test mutating func callsThatHangCountBeforeTheyEnd() {
        for _ in 0..<12 { self.times.began(at: self.at(100)) }
        self.answer(20, at: 100)
        #expect(!self.times.areShort(at: self.at(102)))
        // They come back after all, and each has taken two seconds.
        for _ in 0..<12 {
            self.times.took(self.at(2))
            self.times.ended(began: self.at(100))
        }
        #expect(!self.times.areShort(at: self.at(103)))
        self.answer(20, at: 103)
        #expect(self.times.areShort(at: self.at(104)))
    }

    @Test mutating func oneCallThatHangsForAMomentDoesNotMakeAnEndpointSlow() {
        self.answer(20, at: 100)
        self.times.began(at: self.at(105))
        #expect(self.times.areShort(at: self.at(107.5)))
        #expect(!self.times.areShort(at: self.at(115)))
        // The record of the call is gone.
        self.times.ended(began: self.at(105))
        #expect(self.times.areShort(at: self.at(115)))
    }
}
