import Foundation
import Simulation
import Testing

/// A slice of what `flotilla-lab simulate` runs for hours. A failing seed is in the failure's message.
struct StormTests {
    static let seeds = 200

    @Test(arguments: 0..<8)
    func noPromiseBreaksWhateverHappens(lane: Int) {
        for seed in stride(from: lane, to: Self.seeds, by: 8) {
            let complaints = Storm(seed: UInt64(seed)).run()
            #expect(complaints == [], "seed \(seed)")
            if !complaints.isEmpty { return }
        }
    }

    @Test func aSeedRunsTheSameAgain() {
        let (first, second) = (Storm(seed: 5), Storm(seed: 5))
        #expect(first.run() == second.run())
        #expect(first.fingerprint == second.fingerprint)
        #expect(Storm(seed: 6).fingerprint != first.fingerprint || Storm(seed: 6).run() != [])
    }

    /// Scheduled events hold the simulated cluster, so a storm that is over has to drop them: 20,000 storms once took more
    /// memory than there was.
    @Test func aSimulationThatEndsInTheMiddleLeavesNothingBehind() throws {
        weak var cluster: SimulatedCluster?
        do {
            let simulation = Simulation()
            for index in 0..<100 { simulation.cluster.append("ok", key: "k\(index)") }
            simulation.startWorker()
            try simulation.run(for: .milliseconds(3))
            #expect(!simulation.cluster.isEverythingSettled)
            cluster = simulation.cluster
        }
        #expect(cluster == nil)
    }

    /// A run of 5,000 adversary storms once took 12 GB, because each stayed in memory.
    @Test func aStormThatIsOverLeavesNothingBehind() {
        func remains<S: SeededStorm & AnyObject>(of storm: () -> S) -> Bool {
            weak var remains: S?
            do {
                let storm = storm()
                remains = storm
                _ = storm.run()
            }
            return remains != nil
        }
        for seed in UInt64(0)..<4 {
            #expect(!remains { Storm(seed: seed) }, "seed \(seed)")
            #expect(!remains { AdversaryStorm(seed: seed, kinds: [.sizes]) }, "seed \(seed)")
            #expect(!remains { StreamStorm(seed: seed) }, "seed \(seed)")
            #expect(!remains { StreamAdversaryStorm(seed: seed) }, "seed \(seed)")
        }
    }
}
