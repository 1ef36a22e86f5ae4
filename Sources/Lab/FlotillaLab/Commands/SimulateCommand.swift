import ArgumentParser
import Foundation
import Harness
import Simulation
import Synchronization
import Terminal
import WorkerKit

/// `flotilla-lab simulate`: runs the real engine in simulated storms of faults. One seed determines each storm.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract:
            "Run the engine in simulated storms, and say which seeds break a promise; exit 1 if one does.",
        discussion: """
            Each seed is a whole life of a small fleet: workers that die between any two things they ask for, partitions \
            that come and go, brokers and upstreams that fail, lie and fall silent. The promises are checked after \
            every step. A seed runs the same each time: --seed tells it line by line.

            --streams does the same to the engine whose work is a state, with changelogs in place of upstreams.

            --adversary has honest publishers, and beside them everybody who can do harm, while the cluster works: each \
            honest record is settled in time, and a worker that stands still says so. Both together do it to streams, and to \
            the intake of uploads and clicks; --kinds with one of bad-uploads, bombs, invented-phones, unmatched-clicks and \
            one-client runs the intake alone. Without --streams, made-anew, truncated and hangs are done only where --kinds names \
            them, hangs only in storms in which no worker takes over.

            --outage-day is no storm: one endpoint is down for a simulated day with 100,000 records of 80 KB behind it, and \
            the other one has a steady stream. It takes some minutes. --large-fleet is no storm either: 100 workers share 1,000 \
            partitions, one worker is killed, and ten are restarted.
            """
    )

    @Option(help: "How many seeds to run.")
    var seeds = 1_000

    @Option(help: "The first of them.")
    var from: UInt64 = 0

    @Option(help: "How many run at once.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "Run this one only, and tell what happens.")
    var seed: UInt64?

    @Flag(help: "Run the engine of streams, which keeps a state.")
    var streams = false

    @Flag(help: "Have somebody do harm beside honest publishers, and judge how these fare.")
    var adversary = false

    @Option(
        help: ArgumentHelp(
            "The harm that the adversary may do, as kinds separated by commas: \(Self.allKinds). By default everything.",
            valueName: "kind,..."
        )
    )
    var kinds: String?

    private static var allKinds: String { AdversaryKind.allCases.map(\.rawValue).joined(separator: ", ") }

    @Option(name: .customLong("stop-after"), help: "Stop after so many seeds that break a promise.")
    var stopAfter = 10

    @OptionGroup
    var outageDay: OutageDayOptions

    @OptionGroup
    var largeFleet: LargeFleetOptions

    @Option(
        help: "With --outage-day and --large-fleet: what the workers promise, at-least-once or exactly-once."
    )
    var delivery: EngineSettings.Delivery?

    func validate() throws {
        let isStorm = !self.outageDay.isWanted && !self.largeFleet.isWanted
        guard isStorm || !self.adversary && !self.streams && self.seed == nil else {
            throw ValidationError(
                "--outage-day and --large-fleet go without --adversary, --streams and --seed."
            )
        }
        guard !self.outageDay.isWanted || !self.largeFleet.isWanted else {
            throw ValidationError("--outage-day and --large-fleet are two runs.")
        }
        guard !isStorm || self.delivery == nil else {
            throw ValidationError("--delivery needs --outage-day or --large-fleet.")
        }
        guard self.seeds > 0 else { throw ValidationError("--seeds is at least 1.") }
        guard (1...256).contains(self.jobs) else { throw ValidationError("--jobs is from 1 to 256.") }
        guard self.stopAfter > 0 else { throw ValidationError("--stop-after is at least 1.") }
        guard UInt64(self.seeds) <= .max - self.from else {
            throw ValidationError("There are no such seeds.")
        }
        guard self.adversary || self.kinds == nil else { throw ValidationError("--kinds needs --adversary.") }
        _ = try self.chosenKinds()
    }

    private func chosenKinds() throws -> Set<AdversaryKind> {
        guard let kinds = self.kinds else {
            return Set(self.streams ? AdversaryKind.ofStreamsAndIntake : AdversaryKind.ofCalls)
        }
        let possible =
            self.streams
            ? AdversaryKind.ofStreamsAndIntake : AdversaryKind.ofCalls + AdversaryKind.ofCallsByName
        return Set(
            try kinds.split(separator: ",").map { name in
                let kind = AdversaryKind(rawValue: name.trimmingPrefix(" ").description)
                guard let kind, possible.contains(kind) else {
                    let names = possible.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("--kinds knows \(names), and not \(name).")
                }
                return kind
            }
        )
    }

    /// Returns a function that makes the storm of a seed.
    private func storms() throws -> @Sendable (UInt64, Narrator?) -> any SeededStorm {
        let kinds = try self.chosenKinds()
        if self.adversary, self.streams {
            guard self.kinds != nil else { return { StreamAndIntakeStorm(seed: $0, narrator: $1) } }
            // A kind of uploads or clicks means the intake, which alone can meet it.
            guard kinds.isDisjoint(with: AdversaryKind.ofUploadsAndClicks) else {
                return { IntakeStorm(seed: $0, kinds: kinds, narrator: $1) }
            }
            return { StreamAdversaryStorm(seed: $0, kinds: kinds, narrator: $1) }
        }
        if self.adversary { return { AdversaryStorm(seed: $0, kinds: kinds, narrator: $1) } }
        let kind: any SeededStorm.Type = self.streams ? StreamStorm.self : Storm.self
        return { kind.init(seed: $0, narrator: $1) }
    }

    func run() async throws {
        if self.outageDay.isWanted { return try self.outageDay.carryOut(self.delivery) }
        if self.largeFleet.isWanted { return try self.largeFleet.carryOut(self.delivery) }
        let storms = try self.storms()
        if let seed = self.seed { return try Self.tell(storms(seed, Narrator(Console.line))) }
        let tally = Tally(of: storms, from: self.from, count: UInt64(self.seeds), stopAfter: self.stopAfter)
        let began = ContinuousClock.now
        await withTaskGroup { group in
            for _ in 0..<self.jobs { group.addTask { tally.runSeeds() } }
        }
        tally.summary(of: ContinuousClock.now - began).forEach(Console.line)
        if tally.hasFailures { throw ExitCode(1) }
    }

    /// Runs one storm with a description of each step.
    private static func tell(_ storm: any SeededStorm) throws {
        let complaints = storm.run()
        Console.line("fingerprint \(String(storm.fingerprint, radix: 16))")
        guard complaints.isEmpty else {
            for complaint in complaints { Console.line("broken: \(complaint)") }
            throw ExitCode(1)
        }
        Console.line("no promise broken")
    }
}

/// The results of all seeds, collected by several threads.
private final class Tally: Sendable {
    private struct Counts {
        var next: UInt64
        var runs = 0
        var records = 0
        var faults = 0
        var seconds = 0.0
        var failures = 0
    }

    private let storms: @Sendable (UInt64, Narrator?) -> any SeededStorm
    private let end: UInt64
    private let stopAfter: Int
    private let counts: Mutex<Counts>

    init(
        of storms: @escaping @Sendable (UInt64, Narrator?) -> any SeededStorm,
        from: UInt64,
        count: UInt64,
        stopAfter: Int
    ) {
        self.storms = storms
        self.end = from + count
        self.stopAfter = stopAfter
        self.counts = Mutex(Counts(next: from))
    }

    var hasFailures: Bool { self.counts.withLock { $0.failures > 0 } }

    /// Runs seeds until all are done, or until enough of them have broken a promise.
    func runSeeds() {
        while let seed = self.take() {
            let storm = self.storms(seed, nil)
            let complaints = storm.run()
            if !complaints.isEmpty {
                Console.line("seed \(seed) breaks: \(complaints.prefix(3).joined(separator: "; "))")
            }
            self.counts.withLock { counts in
                counts.runs += 1
                counts.records += storm.records
                counts.faults += storm.faults
                counts.seconds += storm.seconds
                counts.failures += complaints.isEmpty ? 0 : 1
            }
        }
    }

    /// The next seed to run; nil if there is none.
    private func take() -> UInt64? {
        self.counts.withLock { counts in
            guard counts.next < self.end, counts.failures < self.stopAfter else { return nil }
            counts.next += 1
            return counts.next - 1
        }
    }

    func summary(of elapsed: Duration) -> [String] {
        let counts = self.counts.withLock { $0 }
        let minutes = max(elapsed / .seconds(60), 1e-9)
        func perMinute(_ count: Int) -> String { String(Int(Double(count) / minutes)) }
        return [
            "seeds     \(counts.runs), \(perMinute(counts.runs)) a minute",
            "faults    \(counts.faults) injected, \(perMinute(counts.faults)) a minute",
            "records   \(counts.records), \(perMinute(counts.records)) a minute",
            "time      \(Int(counts.seconds / 3_600)) simulated hours in \(Int(elapsed / .seconds(1))) s",
            counts.failures == 0 ? "broken    none" : "broken    \(counts.failures) seeds",
        ]
    }
}
