import Testing
import UpstreamSimulator

@testable import Simulation

/// The activation worker on Tencent's living interfaces in storms: seeds decide about kills, rebalances and faults of
/// brokers and of Tencent, and the simulator of Tencent answers by its own code. A failing seed is in the failure's
/// message.
struct LivingRouteStormTests {
    private static let seeds: UInt64 = 40

    /// Sums over the storms, by which a test knows that they had what they are to judge.
    private struct Sums {
        var records = 0
        var faults = 0
        var largestBatch = 0
        /// Requests of several actions that were refused for one of them.
        var splits = 0
        /// Conversions that were reported again after a lost answer.
        var repeats = 0
        var rejected = 0
        /// Callbacks that an edge before their host has blocked.
        var blocked = 0
    }

    /// Plays every fourth seed, with records of these kinds and keys.
    private static func play(_ kinds: [(ConversionInStorm, Int)], lane: UInt64) throws -> Sums {
        var sums = Sums()
        for seed in stride(from: lane, to: Self.seeds, by: 4) {
            let run = try LivingRouteStorm(seed: seed, kinds)
            let complaints = run.run()
            #expect(complaints == [], "seed \(seed)")
            sums.records += run.storm.records
            sums.faults += run.storm.faults
            sums.largestBatch = max(sums.largestBatch, run.tencent.largestBatch)
            sums.splits += run.tencent.visits.count { $0.actions.count > 1 && $0.code == 31_005 }
            sums.repeats += run.tencent.conversions.count { $0.count > 1 }
            sums.rejected += run.storm.cluster.outcomes.values.count { $0.last?.fate == "rejected" }
            sums.blocked += run.tencent.blockedCallbacks
        }
        return sums
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func theMarketingAPIHasEachHonestConversionOnceAndRefusesABadActionAlone(lane: UInt64) throws {
        let kinds =
            (0..<6).map { (ConversionInStorm.report, $0) } + (6..<8).map { (.badReport, $0) }
            + [(.foreignToken, 8)]
        let sums = try Self.play(kinds, lane: lane)
        #expect(sums.records > 250)
        #expect(sums.faults > 20)
        #expect(sums.largestBatch >= 4)
        #expect(sums.splits > 5)
        #expect(sums.repeats > 5)
        #expect(sums.rejected > 15)
    }

    /// A callback goes where its click says, and only if that is a host of Tencent's. A token goes to the one that has
    /// issued it. A block of all callbacks passes, and refuses none of them.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func eachCallbackIsToldOnceAndNothingIsSentElsewhere(lane: UInt64) throws {
        let kinds: [(ConversionInStorm, Int)] = [
            (.callback, 0), (.callback, 1), (.callback, 2), (.callback, 3), (.tokenCallback, 4),
            (.tokenCallback, 5), (.badCallback, 6), (.forbiddenHost, 7), (.strayCallback, 8),
        ]
        let sums = try Self.play(kinds, lane: lane)
        #expect(sums.records > 250)
        #expect(sums.faults > 20)
        #expect(sums.largestBatch >= 3)
        #expect(sums.splits > 2)
        #expect(sums.repeats > 5)
        #expect(sums.rejected > 50)
        #expect(sums.blocked > 20)
    }
}
