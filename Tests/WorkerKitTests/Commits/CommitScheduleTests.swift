import Kafka
import Testing

@testable import WorkerKit

struct CommitScheduleTests {
    private var commits = CommitSchedule(interval: .milliseconds(200))
    private let position = CommittedPosition(
        partition: TopicPartition(topic: "work", partition: 0),
        offset: 8
    )
    private let error = KafkaError(code: .timedOut, message: "no answer")

    private func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }

    @Test mutating func aRegularCommitIsMadeOnceInAnInterval() {
        #expect(self.commits.takeTurn(mayCommit: true, at: 0) == true)
        #expect(self.commits.takeTurn(mayCommit: true, at: self.milliseconds(199)) == false)
        #expect(self.commits.nextCommit(mayCommit: true, hasChanged: true) == self.milliseconds(200))
        #expect(self.commits.nextCommit(mayCommit: true, hasChanged: false) == nil)
        #expect(self.commits.takeTurn(mayCommit: false, at: self.milliseconds(200)) == false)
        #expect(self.commits.takeTurn(mayCommit: true, at: self.milliseconds(200)) == true)
    }

    @Test mutating func oneCommitIsOutAtATime() {
        let id = self.commits.begin([self.position])
        #expect(self.commits.isOutstanding)
        self.commits.lastWanted(at: self.milliseconds(1))
        #expect(self.commits.takeTurn(mayCommit: true, at: self.milliseconds(500)) == false)
        #expect(self.commits.nextCommit(mayCommit: true, hasChanged: true) == nil)
        #expect(self.commits.end(id) == [self.position])
        #expect(self.commits.takeTurn(mayCommit: false, at: self.milliseconds(500)) == true)
        #expect(self.commits.isOutstanding == false)
    }

    @Test mutating func anAnswerOfAnEarlierAssignmentSaysNothing() {
        let old = self.commits.begin([self.position])
        self.commits.forgetAssignment()
        #expect(self.commits.isOutstanding == false)
        let new = self.commits.begin([self.position])
        #expect(self.commits.end(old) == nil)
        #expect(self.commits.end(new) == [self.position])
    }

    /// Positions of a regular commit go with the next one. The last commit has no next one.
    @Test mutating func theLastCommitIsRepeatedSoonAfterAFailure() {
        self.commits.lastWanted(at: 0)
        #expect(self.commits.takeTurn(mayCommit: false, at: 0) == true)
        #expect(self.commits.end(self.commits.begin([self.position])) != nil)
        #expect(self.commits.failed(self.error, at: 0) == true)
        self.commits.lastFailed(at: 0)
        #expect(self.commits.nextCommit(mayCommit: false, hasChanged: true) == self.milliseconds(100))
        #expect(self.commits.takeTurn(mayCommit: false, at: self.milliseconds(99)) == false)
        #expect(self.commits.takeTurn(mayCommit: false, at: self.milliseconds(100)) == true)
    }

    @Test mutating func theTroubleIsAsOldAsItsFirstFailure() {
        #expect(self.commits.failed(self.error, at: 5) == true)
        #expect(self.commits.failed(self.error, at: 9) == false)
        #expect(self.commits.trouble?.since == 5)
        #expect(self.commits.succeeded() == 2)
        #expect(self.commits.trouble == nil)
        #expect(self.commits.succeeded() == 0)
        #expect(self.commits.failed(self.error, at: 20) == true)
    }
}
