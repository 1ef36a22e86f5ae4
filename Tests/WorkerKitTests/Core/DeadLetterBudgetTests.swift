import ServiceKit
import Testing
import WorkerKit

private let second: Int64 = 1_000_000_000

struct DeadLetterBudgetTests {
    private static func settings(
        letters: Int = 1_000,
        share: Double = 0.5,
        minimum: Int = 100
    ) -> DeadLetterBudget.Settings {
        var settings = DeadLetterBudget.Settings()
        settings.letters = letters
        settings.share = share
        settings.minimum = minimum
        return settings
    }

    private static func until(_ admission: DeadLetterBudget.Admission) -> Int64? {
        guard case .no(_, let until) = admission else { return nil }
        return until
    }

    @Test func admitsSoManyLettersAndNotOneMore() {
        var budget = DeadLetterBudget(Self.settings(letters: 5, share: 1))
        for letter in 0..<5 {
            #expect(budget.admits(at: 7) == .yes, "\(letter)")
            budget.noteSettled(isDeadLetter: true, at: 7)
        }
        #expect(budget.admits(at: 7) == .no(.letters(5, window: .seconds(300)), until: 300 * second))
        // To ask counts nothing.
        for _ in 0..<100 { _ = budget.admits(at: 8) }
        #expect(budget.admits(at: 300 * second - 1) != .yes)
        #expect(budget.admits(at: 300 * second) == .yes)
    }

    @Test func judgesTheShareOnceEnoughIsSettled() {
        var budget = DeadLetterBudget(Self.settings())
        for _ in 0..<99 { budget.noteSettled(isDeadLetter: true, at: 0) }
        #expect(budget.admits(at: 0) == .yes)
        budget.noteSettled(isDeadLetter: true, at: 0)
        let exhaustion = DeadLetterBudget.Exhaustion.share(letters: 100, settled: 100, window: .seconds(300))
        #expect(budget.admits(at: 0) == .no(exhaustion, until: 300 * second))
    }

    @Test func theShareThatIsAllowedIsAdmitted() {
        var budget = DeadLetterBudget(Self.settings())
        for index in 0..<199 { budget.noteSettled(isDeadLetter: index % 2 == 0, at: 0) }
        // 100 of 199; one more letter would be 101 of 200.
        #expect(budget.admits(at: 0) != .yes)
        budget.noteSettled(isDeadLetter: false, at: 0)
        budget.noteSettled(isDeadLetter: false, at: 0)
        // Now it would be 101 of 202.
        #expect(budget.admits(at: 0) == .yes)
    }

    @Test func oneLetterGetsThroughInAnyCase() {
        var budget = DeadLetterBudget(Self.settings(letters: 0, share: 0, minimum: 0))
        #expect(budget.admits(at: 0) == .yes)
        for _ in 0..<500 { budget.noteSettled(isDeadLetter: false, at: second) }
        #expect(budget.admits(at: second) == .yes)
        budget.noteSettled(isDeadLetter: true, at: second)
        #expect(budget.admits(at: second) != .yes)
        // One window after it at the latest, whatever else was settled meanwhile.
        budget.noteSettled(isDeadLetter: false, at: 250 * second)
        #expect(budget.admits(at: 301 * second) == .yes)
    }

    @Test func saysWhyInNumbers() {
        var budget = DeadLetterBudget(Self.settings())
        for index in 0..<700 { budget.noteSettled(isDeadLetter: index < 612, at: 0) }
        guard case .no(let exhaustion, _) = budget.admits(at: 0) else {
            Issue.record("612 of 700 were admitted")
            return
        }
        #expect("\(exhaustion)" == "612 of 700 records settled in the last 5 min were dead letters")
        let letters = DeadLetterBudget.Exhaustion.letters(1_000, window: .seconds(90))
        #expect("\(letters)" == "1000 records settled in the last 90 s were dead letters")
        let short = DeadLetterBudget.Exhaustion.letters(3, window: .milliseconds(1_500))
        #expect("\(short)" == "3 records settled in the last 1.5 s were dead letters")
    }

    @Test func waitsForTheShareToFallWhenThatComesFirst() {
        var budget = DeadLetterBudget(Self.settings(minimum: 10))
        for _ in 0..<40 { budget.noteSettled(isDeadLetter: true, at: 0) }
        for _ in 0..<40 { budget.noteSettled(isDeadLetter: false, at: 100 * second) }
        for _ in 0..<20 { budget.noteSettled(isDeadLetter: true, at: 200 * second) }
        // When the first forty are forgotten it is 20 of 60.
        #expect(Self.until(budget.admits(at: 200 * second)) == 300 * second)
    }

    /// Against a list of everything that was noted, in hundreds of random histories.
    @Test(arguments: 0..<200)
    func agreesWithAListWhateverHappens(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var settings = Self.settings(
            letters: .random(in: 0...30, using: &random),
            share: .random(in: 0...1, using: &random),
            minimum: .random(in: 0...40, using: &random)
        )
        settings.window = .nanoseconds(.random(in: 1...10_000, using: &random))
        var budget = DeadLetterBudget(settings)
        var history: [(at: Int64, isLetter: Bool)] = []
        let window = settings.window.wholeNanoseconds
        let width = max(1, window / 60)
        /// Applies the rules to everything that is not yet forgotten.
        func isAdmitted(at now: Int64) -> Bool {
            let remembered = history.filter { $0.at / width > now / width - 60 }
            let letters = remembered.count { $0.isLetter }
            if letters == 0 { return true }
            if letters >= settings.letters { return false }
            guard remembered.count >= settings.minimum else { return true }
            return Double(letters + 1) <= settings.share * Double(remembered.count + 1)
        }
        var now: Int64 = 0
        for _ in 0..<300 {
            now += .random(in: 0...max(1, window / 20), using: &random)
            if .random(in: 0..<50, using: &random) == 0 { now += .random(in: 0...3 * window, using: &random) }
            let admission = budget.admits(at: now)
            #expect((admission == .yes) == isAdmitted(at: now), "seed \(seed)")
            if let until = Self.until(admission) {
                #expect(until > now && until - now <= max(60, window), "seed \(seed)")
                #expect(budget.admits(at: until) == .yes, "seed \(seed)")
                #expect(budget.admits(at: until - 1) != .yes, "seed \(seed)")
            }
            let isLetter = Bool.random(using: &random)
            guard !isLetter || admission == .yes else { continue }
            budget.noteSettled(isDeadLetter: isLetter, at: now)
            history.append((now, isLetter))
            // In no time of 59 parts are there more letters than there may be.
            let recent = history.count { $0.isLetter && $0.at > now - 59 * width }
            #expect(recent <= max(1, settings.letters), "seed \(seed)")
        }
        // A full quiet window, and one gets through.
        #expect(budget.admits(at: now + max(60, window)) == .yes, "seed \(seed)")
    }
}
