import Testing

@testable import Simulation

struct SilenceJudgeTests {
    /// Looks once a second for seventy seconds.
    private func complaints(
        progress: (Int) -> Int = { _ in 1 },
        hasLag: (Int) -> Bool = { _ in true },
        unreadiness: (Int) -> String? = { _ in nil }
    ) -> Int {
        var judge = SilenceJudge()
        return (0..<70).count { second in
            judge.look(
                at: Int64(second) * 1_000_000_000,
                progress: progress(second),
                hasLag: hasLag(second),
                unreadiness: unreadiness(second)
            ) != nil
        }
    }

    @Test func silenceIsToldOnceForEachStandstill() { #expect(self.complaints() == 2) }

    @Test func whoMovesOrHasNothingToDoMayBeSilent() {
        #expect(self.complaints(progress: { $0 / 30 }) == 0)
        #expect(self.complaints(hasLag: { $0 % 30 != 0 }) == 0)
    }

    @Test func whoSaysSoIsNotSilent() {
        #expect(self.complaints(unreadiness: { $0 > 31 ? "stands still" : nil }) == 0)
        #expect(self.complaints(unreadiness: { $0 > 40 ? "stands still" : nil }) == 1)
    }
}
