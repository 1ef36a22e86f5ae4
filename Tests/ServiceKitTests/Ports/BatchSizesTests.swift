import Testing

@testable import ServiceKit

/// The size of requests after failures.
struct BatchSizesTests {
    private var sizes = BatchSizes()

    @Test mutating func eachFailureHalvesAndEachFullRequestAddsOne() {
        self.sizes.failed("account", with: 50)
        #expect(self.sizes["account"] == 25)
        self.sizes.failed("account", with: 3)
        #expect(self.sizes["account"] == 1)
        self.sizes.answered("account", to: 1, limit: 50)
        #expect(self.sizes["account"] == 2)
        // A request that was not full says nothing of full ones.
        self.sizes.answered("account", to: 1, limit: 50)
        #expect(self.sizes["account"] == 2)
        #expect(self.sizes["other"] == .max)
    }

    @Test mutating func aSizeThatReachesTheLimitIsForgotten() {
        self.sizes.failed("account", with: 4)
        self.sizes.answered("account", to: 2, limit: 4)
        #expect(self.sizes["account"] == 3)
        self.sizes.answered("account", to: 3, limit: 4)
        #expect(self.sizes["account"] == .max)
    }

    @Test mutating func anElementThatFailsAloneSaysNothingOfTheOthers() {
        self.sizes.failed("account", with: 1)
        #expect(self.sizes["account"] == .max)
    }

    /// A publisher who chooses keys must not be able to make the sizes of all other keys forgotten at once.
    @Test mutating func aKeyMoreThanFitsCostsOneOther() {
        let keys = (0...BatchSizes.keysLimit).map { "key \($0)" }
        for key in keys { self.sizes.failed(key, with: 8) }
        #expect(keys.count { self.sizes[$0] == 4 } == BatchSizes.keysLimit)
        #expect(keys.last.map { self.sizes[$0] } == 4)
    }

    @Test mutating func aKnownKeyThatFailsAgainCostsNoOther() {
        let keys = (0..<BatchSizes.keysLimit).map { "key \($0)" }
        for key in keys { self.sizes.failed(key, with: 8) }
        self.sizes.failed(keys[0], with: 4)
        #expect(self.sizes[keys[0]] == 2)
        #expect(keys.dropFirst().allSatisfy { self.sizes[$0] == 4 })
    }
}
