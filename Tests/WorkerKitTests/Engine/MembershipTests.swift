import Kafka
import ServiceKit
import Testing

@testable import WorkerKit

/// The membership as a value: each test tells it what has happened and asks for the steps.
struct MembershipTests {
    private var membership = Membership(drainLimit: .seconds(15), commitLimit: .seconds(5))
    private let partitions = [TopicPartition(topic: "work", partition: 0)]
    private let more = [TopicPartition(topic: "work", partition: 1)]
    private let idle = Membership.Work(isDrained: true, isCommitOutstanding: false, hasLeft: false)
    private let busy = Membership.Work(isDrained: false, isCommitOutstanding: true, hasLeft: false)
    private let left = Membership.Work(isDrained: true, isCommitOutstanding: false, hasLeft: true)

    private func second(_ number: Int64) -> Moment {
        Moment(monotonic: number * 1_000_000_000, wall: number * 1_000)
    }

    /// Brings the membership into the phase `working` at second 0.
    private mutating func work() {
        #expect(self.membership.assigned(self.partitions, at: self.second(0)) == true)
        #expect(self.membership.nextStep(self.idle, at: self.second(0)) == .takeUp(self.partitions))
        self.membership.tookUp()
        #expect(self.membership.phase == .working)
        #expect(self.membership.nextStep(self.busy, at: self.second(0)) == nil)
    }

    @Test mutating func theFirstAssignmentIsTakenUpAtOnce() {
        #expect(self.membership.nextStep(self.idle, at: self.second(0)) == nil)
        self.work()
        #expect(self.membership.epoch == 1)
    }

    @Test mutating func aFailedQuestionIsRepeatedASecondLater() {
        #expect(self.membership.assigned(self.partitions, at: self.second(0)) == true)
        self.membership.couldNotTakeUp(self.partitions, at: self.second(0))
        #expect(self.membership.nextStep(self.idle, at: self.second(0)) == nil)
        let due = self.membership.nextStepDue(isCommitOutstanding: false, at: self.second(0))
        #expect(due == self.second(1).monotonic)
        #expect(self.membership.nextStep(self.idle, at: self.second(1)) == .takeUp(self.partitions))
        #expect(self.membership.epoch == 0)
    }

    @Test mutating func revokedPartitionsAreDrainedCommittedAndGivenUp() {
        self.work()
        #expect(self.membership.revoked(isLost: false, at: self.second(10)) == false)
        #expect(self.membership.nextStep(self.busy, at: self.second(24)) == nil)
        #expect(self.membership.nextStep(self.idle, at: self.second(24)) == .commitLast)
        #expect(self.membership.nextStep(self.busy, at: self.second(28)) == nil)
        #expect(self.membership.nextStep(self.idle, at: self.second(28)) == .giveUp)
        #expect(self.membership.endDrain(at: self.second(28)) == self.second(18).monotonic)
        #expect(self.membership.endDrain(at: self.second(29)) == nil)
        self.membership.gaveUp()
        #expect(self.membership.phase == .idle)
    }

    /// Work that does not end delays the group by the two limits, and no longer.
    @Test mutating func drainAndLastCommitEndWithTheirLimits() {
        self.work()
        _ = self.membership.revoked(isLost: false, at: self.second(10))
        let drainEnd = self.membership.nextStepDue(isCommitOutstanding: true, at: self.second(10))
        #expect(drainEnd == self.second(25).monotonic)
        #expect(self.membership.nextStep(self.busy, at: self.second(25)) == .commitLast)
        let commitEnd = self.membership.nextStepDue(isCommitOutstanding: true, at: self.second(25))
        #expect(commitEnd == self.second(30).monotonic)
        #expect(self.membership.nextStep(self.busy, at: self.second(29)) == nil)
        #expect(self.membership.nextStep(self.busy, at: self.second(30)) == .giveUp)
    }

    /// Another member has lost partitions already, so nothing may be committed for them.
    @Test mutating func lostPartitionsAreGivenUpAtOnceInEachPhase() {
        self.work()
        #expect(self.membership.revoked(isLost: true, at: self.second(1)) == true)
        self.membership.gaveUp()
        #expect(self.membership.phase == .idle)
        self.work()
        _ = self.membership.revoked(isLost: false, at: self.second(2))
        #expect(self.membership.revoked(isLost: true, at: self.second(3)) == true)
    }

    @Test mutating func aRevocationOvertakesADrainForAnotherReason() {
        self.work()
        self.membership.restart(at: self.second(1))
        #expect(self.membership.revoked(isLost: false, at: self.second(2)) == false)
        #expect(self.membership.nextStep(self.idle, at: self.second(2)) == .commitLast)
        #expect(self.membership.nextStep(self.idle, at: self.second(2)) == .giveUp)
    }

    @Test mutating func aTopicThatWasMadeAnewIsTakenUpAgainAfterADrain() {
        self.work()
        self.membership.restart(at: self.second(1))
        #expect(self.membership.nextStep(self.idle, at: self.second(1)) == .commitLast)
        #expect(self.membership.nextStep(self.idle, at: self.second(1)) == .takeUpAgain)
        self.membership.restarted(self.partitions, at: self.second(1))
        #expect(self.membership.nextStep(self.idle, at: self.second(1)) == .takeUp(self.partitions))
        // Only a member that works can begin anew.
        self.membership.restart(at: self.second(2))
        #expect(self.membership.phase == .assigning(self.partitions, retryAt: self.second(1).monotonic))
    }

    @Test mutating func stoppingDrainsCommitsAndLeaves() {
        self.work()
        self.membership.stop()
        #expect(self.membership.nextStep(self.busy, at: self.second(1)) == nil)
        #expect(self.membership.nextStep(self.idle, at: self.second(2)) == .commitLast)
        #expect(self.membership.nextStep(self.idle, at: self.second(2)) == .leave)
        self.membership.beganToLeave(at: self.second(2))
        #expect(self.membership.nextStep(self.idle, at: self.second(3)) == nil)
        #expect(self.membership.phase.isEnding)
        #expect(self.membership.nextStep(self.left, at: self.second(3)) == nil)
        #expect(self.membership.phase == .left)
    }

    /// A broker that does not answer must not keep a worker from ending.
    @Test mutating func leavingEndsWithItsLimit() {
        self.membership.stop()
        #expect(self.membership.nextStep(self.idle, at: self.second(0)) == .leave)
        self.membership.beganToLeave(at: self.second(0))
        _ = self.membership.nextStep(self.idle, at: self.second(4))
        #expect(self.membership.phase == .leaving(until: self.second(5).monotonic))
        _ = self.membership.nextStep(self.idle, at: self.second(5))
        #expect(self.membership.phase == .left)
    }

    @Test mutating func aMemberThatIsAskedToStopBeforeItWorksGivesUpAndLeaves() {
        #expect(self.membership.assigned(self.partitions, at: self.second(0)) == true)
        self.membership.stop()
        #expect(self.membership.nextStep(self.idle, at: self.second(0)) == .giveUp)
        self.membership.gaveUp()
        #expect(self.membership.nextStep(self.idle, at: self.second(0)) == .leave)
    }

    /// The group waits for an answer to each assignment, also of a member that leaves.
    @Test mutating func aMemberThatLeavesTakesNoPartitions() {
        self.membership.stop()
        self.membership.beganToLeave(at: self.second(0))
        #expect(self.membership.assigned(self.more, at: self.second(1)) == false)
        #expect(self.membership.revoked(isLost: false, at: self.second(1)) == true)
        self.membership.gaveUp()
        #expect(self.membership.phase.isEnding)
    }

    @Test mutating func aNewAssignmentReplacesTheOldOne() {
        self.work()
        #expect(self.membership.assigned(self.more, at: self.second(1)) == true)
        #expect(self.membership.nextStep(self.busy, at: self.second(1)) == .takeUp(self.more))
    }
}
