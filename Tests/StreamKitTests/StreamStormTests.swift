import Simulation
import Testing

/// A slice of what `flotilla-lab simulate --streams` runs for hours. A failing seed is in the failure's message.
struct StreamStormTests {
    static let seeds = 200

    @Test(arguments: 0..<8)
    func noPromiseBreaksWhateverHappens(lane: Int) {
        for seed in stride(from: lane, to: Self.seeds, by: 8) {
            let complaints = StreamStorm(seed: UInt64(seed)).run()
            #expect(complaints == [], "seed \(seed)")
            if !complaints.isEmpty { return }
        }
    }

    @Test func aSeedRunsTheSameAgain() {
        let (first, second) = (StreamStorm(seed: 5), StreamStorm(seed: 5))
        #expect(first.run() == second.run())
        #expect(first.fingerprint == second.fingerprint)
        #expect(StreamStorm(seed: 6).fingerprint != first.fingerprint || StreamStorm(seed: 6).run() != [])
    }
}
