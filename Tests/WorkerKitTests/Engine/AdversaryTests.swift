import Records
import Simulation
import Testing

/// A slice of what `flotilla-lab simulate --adversary` runs for hours, and the judges of it.
struct AdversaryTests {
    /// The kinds of adversary that take time from everybody: the other records are judged by the time without that, and
    /// without no more than that.
    private static let kinds: Set<AdversaryKind> = [.sizes, .growth, .kills, .freezes]

    @Test(arguments: 0..<4)
    func honestRecordsAreInTimeWhateverHappensToWorkers(lane: Int) {
        for seed in stride(from: lane, to: 12, by: 4) {
            let complaints = AdversaryStorm(seed: UInt64(seed), kinds: Self.kinds).run()
            #expect(complaints == [], "seed \(seed)")
        }
    }

    /// Kinds of harm of which few storms would have as much as here.
    @Test(
        arguments: [
            .deadly, .madeAnew, .truncated, .markers, .hangs, .lateTickets, .delays,
        ] as [AdversaryKind]
    )
    func honestRecordsAreInTimeBesideOneKindOfHarm(kind: AdversaryKind) {
        for seed in 0..<3 as Range<UInt64> {
            let storm = AdversaryStorm(seed: seed, kinds: [kind])
            #expect(storm.run() == [], "seed \(seed)")
        }
    }

    @Test func aSeedRunsTheSameAgain() {
        let (first, second) = (AdversaryStorm(seed: 5), AdversaryStorm(seed: 5))
        #expect(first.run() == second.run())
        #expect(first.fingerprint == second.fingerprint)
    }

    // MARK: - The judge of honest records

    private static let second: Int64 = 1_000_000_000
    private static let name = RecordName(partition: 0, offset: 7)

    private func outcome(_ fate: String = "succeeded") throws -> SimulatedOutcome {
        let fields = ["work/0/7", "0", "7", fate, "", "1", "", ""].joined(separator: "|")
        let record = OutboundRecord(topic: "work.result", value: Array(fields.utf8))
        return try #require(SimulatedOutcome(record))
    }

    @Test func aRecordIsLateAfterItsBound() throws {
        let judge = HonestJudge()
        judge.recordPublished(Self.name, at: 0)
        #expect(judge.overdue(at: 30 * Self.second) == nil)
        #expect(try judge.outcomeSeen(self.outcome(), at: 30 * Self.second) == nil)
        judge.recordPublished(Self.name, at: 0)
        #expect(judge.overdue(at: 30 * Self.second + 1) != nil)
        #expect(judge.overdue(at: 40 * Self.second) == nil, "it is told once")
        #expect(judge.share(within: .seconds(30)) == 0.5)
    }

    @Test func whatIsExcusedDoesNotCountAndCountsOnce() throws {
        let judge = HonestJudge()
        judge.recordPublished(Self.name, at: 10 * Self.second)
        // Twenty seconds in all, of which the first five came before the record.
        judge.excuse(from: 5 * Self.second, for: .seconds(15))
        judge.excuse(from: 8 * Self.second, for: .seconds(17))
        #expect(judge.overdue(at: 55 * Self.second) == nil)
        #expect(judge.overdue(at: 55 * Self.second + 1) != nil)
    }

    @Test func anHonestRecordHasOneFate() throws {
        for fate in ["expired", "dead_lettered", "rejected"] {
            let judge = HonestJudge()
            judge.recordPublished(Self.name, at: 0)
            #expect(try judge.outcomeSeen(self.outcome(fate), at: Self.second) != nil)
        }
    }

    @Test func whatAnOperatorSkipsIsNotMissed() {
        let judge = HonestJudge()
        judge.recordPublished(Self.name, at: 0)
        judge.forgetRecords { $0.offset == 7 }
        #expect(judge.overdue(at: 100 * Self.second) == nil)
        #expect(judge.waiting == 0)
    }
}
