import Simulation
import Testing

/// A slice of what `flotilla-lab simulate --streams --adversary` runs for hours: honest records of a stream are counted in time
/// and once, whatever somebody else publishes and whatever happens to workers, clocks and brokers.
struct StreamAdversaryTests {
    @Test(arguments: AdversaryKind.ofStreams)
    func honestRecordsAreCountedInTimeWhatever(kind: AdversaryKind) {
        for seed in 0..<2 as Range<UInt64> {
            let complaints = StreamAdversaryStorm(seed: seed, kinds: [kind]).run()
            #expect(complaints == [], "seed \(seed)")
        }
    }

    @Test(arguments: 0..<4)
    func noPromiseBreaksWhateverComesTogether(lane: Int) {
        for seed in stride(from: lane, to: 16, by: 4) {
            let complaints = StreamAdversaryStorm(seed: UInt64(seed)).run()
            #expect(complaints == [], "seed \(seed)")
        }
    }

    @Test func aSeedRunsTheSameAgain() {
        let (first, second) = (StreamAdversaryStorm(seed: 5), StreamAdversaryStorm(seed: 5))
        #expect(first.run() == second.run())
        #expect(first.fingerprint == second.fingerprint)
        #expect(StreamAdversaryStorm(seed: 6).fingerprint != first.fingerprint)
    }
}
