import Testing

@testable import WorkerKit

struct RetryEvidenceTests {
    /// Counts as many calls a second as given, for five seconds, and returns the judgement at the end.
    private func judgement(firsts: (answered: Int, failed: Int), seconds: (answered: Int, failed: Int))
        -> Bool
    {
        var evidence = RetryEvidence()
        for second in Int64(0)..<5 {
            for (calls, attempt) in [(firsts, 1), (seconds, 2)] {
                for _ in 0..<calls.answered {
                    evidence.note(failed: false, attempt: attempt, at: second * 1_000_000_000)
                }
                for _ in 0..<calls.failed {
                    evidence.note(failed: true, attempt: attempt, at: second * 1_000_000_000)
                }
            }
        }
        return evidence.blamesRecords(at: 4_500_000_000)
    }

    @Test func recordsThatFailAgainWhereOthersSucceedAreToBlame() {
        #expect(self.judgement(firsts: (80, 20), seconds: (0, 20)))
        // A flood of such records, four in five of what is called.
        #expect(self.judgement(firsts: (20, 80), seconds: (2, 80)))
    }

    @Test func anUpstreamThatRefusesWhateverComesIsToBlame() {
        #expect(!self.judgement(firsts: (70, 30), seconds: (21, 9)))
        #expect(!self.judgement(firsts: (5, 95), seconds: (5, 90)))
        // Some of the records would fail in any case.
        #expect(!self.judgement(firsts: (70, 50), seconds: (21, 29)))
    }

    @Test func aFewCallsAreNoEvidence() {
        #expect(!self.judgement(firsts: (10, 1), seconds: (0, 1)))
        #expect(!self.judgement(firsts: (0, 20), seconds: (0, 20)))
        #expect(!self.judgement(firsts: (0, 0), seconds: (0, 20)))
    }

    @Test func laterCallsAndOldOnesDoNotCount() {
        var evidence = RetryEvidence()
        for _ in 0..<100 {
            evidence.note(failed: false, attempt: 1, at: 0)
            evidence.note(failed: true, attempt: 3, at: 0)
        }
        #expect(!evidence.blamesRecords(at: 0))
        for _ in 0..<100 { evidence.note(failed: true, attempt: 2, at: 0) }
        #expect(evidence.blamesRecords(at: 9_000_000_000))
        #expect(!evidence.blamesRecords(at: 11_000_000_000))
    }
}
