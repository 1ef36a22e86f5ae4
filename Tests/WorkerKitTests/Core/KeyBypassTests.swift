import Testing

@testable import ServiceKit
@testable import WorkerKit

private let minute: Int64 = 60_000_000_000

struct KeyBypassTests {
    private var bypass = KeyBypass<String>(KeyBypass.Settings(threshold: 200))

    @Test mutating func switchesOrderOffAboveTheThresholdAndOnlyOfThatKey() {
        let atThreshold = self.bypass.queued(behind: "a", count: 200, at: 0)
        #expect(!atThreshold)
        #expect(!self.bypass.isBypassed("a", at: 0))
        let above = self.bypass.queued(behind: "a", count: 201, at: 0)
        #expect(above)
        #expect(self.bypass.isBypassed("a", at: 0))
        #expect(!self.bypass.isBypassed("b", at: 0))
    }

    @Test mutating func saysSoOnceAndTurnsItOnAgainAfterThePause() {
        let news = [Int64(0), 1, 19 * minute].map { self.bypass.queued(behind: "a", count: 300, at: $0) }
        #expect(news == [true, false, false])
        #expect(self.bypass.isBypassed("a", at: 20 * minute - 1))
        #expect(!self.bypass.isBypassed("a", at: 20 * minute))
        let again = self.bypass.queued(behind: "a", count: 300, at: 20 * minute)
        #expect(again)
        #expect(self.bypass.isBypassed("a", at: 40 * minute - 1))
        #expect(!self.bypass.isBypassed("a", at: 40 * minute))
    }

    @Test func withoutAThresholdNothingIsEverBypassed() {
        var never = KeyBypass<Int>(KeyBypass.Settings())
        let isOff = never.queued(behind: 1, count: .max, at: 0)
        #expect(!isOff)
        #expect(!never.isBypassed(1, at: 0))
    }

    @Test func remembersSoManyKeysAndForgetsTheOldest() {
        var settings = KeyBypass<Int>.Settings(threshold: 0)
        settings.keysLimit = 3
        var bypass = KeyBypass<Int>(settings)
        for key in 0..<5 {
            let isNews = bypass.queued(behind: key, count: 1, at: Int64(key))
            #expect(isNews)
        }
        #expect((0..<5).map { bypass.isBypassed($0, at: 5) } == [false, false, true, true, true])
        #expect(bypass.count == 3)
        settings.keysLimit = 0
        var none = KeyBypass<Int>(settings)
        let isOff = none.queued(behind: 1, count: 1, at: 0)
        #expect(!isOff && none.count == 0)
    }

    /// Against a dictionary of all that was ever switched off.
    @Test(arguments: 0..<100)
    func agreesWithADictionary(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var settings = KeyBypass<Int>.Settings(threshold: 5)
        settings.pause = .nanoseconds(100)
        settings.keysLimit = 8
        var bypass = KeyBypass<Int>(settings)
        var ends: [(key: Int, end: Int64)] = []
        var now: Int64 = 0
        for _ in 0..<500 {
            now += .random(in: 0...20, using: &random)
            let key = Int.random(in: 0..<20, using: &random)
            let count = Int.random(in: 0...10, using: &random)
            ends.removeAll { $0.end <= now }
            let isNew = count > 5 && !ends.contains { $0.key == key }
            if isNew { ends = ends.suffix(7) + [(key, now + 100)] }
            let isNews = bypass.queued(behind: key, count: count, at: now)
            #expect(isNews == isNew, "seed \(seed)")
            for key in 0..<20 {
                #expect(bypass.isBypassed(key, at: now) == ends.contains { $0.key == key }, "seed \(seed)")
            }
            #expect(bypass.count <= 8)
        }
    }
}
