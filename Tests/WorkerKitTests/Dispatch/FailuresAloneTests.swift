import Testing

@testable import WorkerKit

@Suite struct FailuresAloneTests {
    @Test func aFailureIsProvenByTheAnswerToACallThatBeganLater() {
        var failures = FailuresAlone()
        failures.note(7, answered: 6)
        #expect(failures.count == 1)
        #expect(failures.proven(answered: 6) == 0)
        #expect(failures.proven(answered: 8) == 1)
    }

    @Test func anOpeningForgivesWhatIsNotProven() {
        var failures = FailuresAlone(proven: 1)
        failures.note(7, answered: 6)
        failures.note(9, weight: 2, answered: 6)
        #expect(failures.count == 4)
        failures.breakerOpened(answered: 6)
        #expect(failures.count == 1)
        failures.breakerOpened(answered: 20)
        #expect(failures.count == 1)
    }

    @Test func whatWasProvenStaysProven() {
        var failures = FailuresAlone()
        failures.note(7, answered: 6)
        failures.note(9, answered: 8)
        failures.breakerOpened(answered: 8)
        #expect(failures.count == 1)
    }
}
