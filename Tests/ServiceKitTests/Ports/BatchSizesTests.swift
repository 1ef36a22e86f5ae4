import Testing

@testable import ServiceKit

/// The size of requests after failures.
struct BatchSizesTests {
    private var sizes = BatchSizes()

    /// Answers so many full requests of this key.
    private mutating func answer(_ key: String, _ steps: Int, of count: Int, limit: Int = 50) {
        for _ in 0..<steps * BatchSizes.answersPerStep { self.sizes.answered(key, to: count, limit: limit) }
    }

    @Test mutating func eachFailureHalvesAndAFewFullRequestsAddOne() {
        self.sizes.failed("account", with: 50, isKnown: false)
        #expect(self.sizes["account"] == 25)
        self.sizes.failed("account", with: 3, isKnown: true)
        #expect(self.sizes["account"] == 1)
        self.answer("account", 1, of: 1)
        #expect(self.sizes["account"] == 2)
        // A request that was not full says nothing of full ones.
        self.answer("account", 10, of: 1)
        #expect(self.sizes["account"] == 2)
        #expect(self.sizes["other"] == .max)
    }

    @Test mutating func aSizeThatReachesTheLimitIsForgotten() {
        self.sizes.failed("account", with: 4, isKnown: false)
        self.answer("account", 1, of: 2, limit: 4)
        #expect(self.sizes["account"] == 3)
        self.answer("account", 1, of: 3, limit: 4)
        #expect(self.sizes["account"] == .max)
    }

    @Test mutating func anElementThatFailsAloneSaysNothingOfTheOthers() {
        self.sizes.failed("account", with: 1, isKnown: false)
        #expect(self.sizes["account"] == .max)
    }

    /// Many records that break their requests must not find sound ones beside them, while those that are known for it must
    /// not keep requests small.
    @Test(arguments: [false, true])
    mutating func onlyAFreshElementThatFailsInterruptsTheGrowth(isKnown: Bool) {
        self.sizes.failed("account", with: 2, isKnown: false)
        for _ in 0..<100 {
            for _ in 1..<BatchSizes.answersPerStep { self.sizes.answered("account", to: 1, limit: 50) }
            self.sizes.failed("account", with: 1, isKnown: isKnown)
        }
        #expect(self.sizes["account"] == (isKnown ? 2 : 1))
    }

    /// A publisher who chooses keys must not be able to make the sizes of all other keys forgotten at once.
    @Test mutating func aKeyMoreThanFitsCostsOneOther() {
        let keys = (0...BatchSizes.keysLimit).map { "key \($0)" }
        for key in keys { self.sizes.failed(key, with: 8, isKnown: false) }
        #expect(keys.count { self.sizes[$0] == 4 } == BatchSizes.keysLimit)
        #expect(keys.last.map { self.sizes[$0] } == 4)
    }

    @Test mutating func aKnownKeyThatFailsAgainCostsNoOther() {
        let keys = (0..<BatchSizes.keysLimit).map { "key \($0)" }
        for key in keys { self.sizes.failed(key, with: 8, isKnown: false) }
        self.sizes.failed(keys[0], with: 4, isKnown: false)
        #expect(self.sizes[keys[0]] == 2)
        #expect(keys.dropFirst().allSatisfy { self.sizes[$0] == 4 })
    }
}
