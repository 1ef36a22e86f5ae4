import Kafka
import Logging
import ServiceKit

// Commits that turn out to speak of another log than the one that is there: the topic was deleted and made again, or
// the log lost its end.
extension Engine {
    /// Passes the end of a partition, and acts on what it shows about the log.
    func passEnd(of index: Int) {
        guard self.passEnd(of: index, at: self.now.monotonic) else { return }
        // A broker that failed has cut off all its logs at about the same time. One restart suffices for those of them
        // whose ten seconds are over within the next one.
        let soon = self.now.after(.seconds(1))
        for other in self.assignments.indices where other != index { _ = self.passEnd(of: other, at: soon) }
    }

    /// Looks at the ends of logs that are in doubt, whether there is room for records or not: if nobody looks for a while,
    /// their ten seconds begin anew. Called once a second.
    func lookAtEnds() {
        guard self.phase == .working else { return }
        for index in self.assignments.indices where self.assignments[index].endSeen != nil {
            self.passEnd(of: index)
        }
    }

    /// - Returns: Whether the partition has to be taken up again.
    private func passEnd(of index: Int, at now: Int64) -> Bool {
        switch self.assignments[index].passEnd(at: now) {
        case .madeAnew: self.topicMadeAnew(index)
        case .cutOff: self.logCutOff(index)
        case .emptied:
            self.logBeginsAgain(index, at: self.assignments[index].readEnd)
            return false
        case .settled, .open, .over, nil: return false
        }
        return true
    }

    /// Restarts the assignment, because nothing of a log is what the commit speaks of: the topic was deleted and created
    /// again. The records in hand are finished first.
    func topicMadeAnew(_ index: Int) {
        self.correct(
            index,
            to: CommittedPosition(partition: self.assignments[index].partition, offset: nil),
            because: "a topic was deleted and made again: what was committed of it is ignored"
        )
    }

    /// Restarts the assignment, because a log lost its end: offsets that the commit calls done have other records, or
    /// none. The records in hand are finished first.
    func logCutOff(_ index: Int) {
        guard let position = self.assignments[index].commitBeforeTheCut else { return }
        self.correct(index, to: position, because: Self.lostItsEnd)
    }

    /// Notes that a partition was taken up at an earlier offset than expected, because the log has none of the expected
    /// ones.
    func logBeginsAgain(_ index: Int, at offset: Int64) {
        self.tell(of: self.assignments[index].partition, at: offset, Self.lostItsEnd)
    }

    private static var lostItsEnd: String {
        "a log lost its end: its records from an offset on are read, and may be done again"
    }

    /// Restarts the assignment, so that this partition is taken up at another position than the group has committed.
    private func correct(_ index: Int, to position: CommittedPosition, because reason: String) {
        // A partition can be found out again before the restart.
        guard self.phase == .working || self.membership.isRestarting,
            self.assignments[index].correction == nil
        else { return }
        self.assignments[index].correction = position
        self.tell(of: position.partition, at: position.offset ?? 0, reason)
        self.membership.restart(at: self.now)
    }

    /// Notes the corrections of this assignment, before it is forgotten. Its last commit is over by now.
    func keepCorrections() {
        for assignment in self.assignments {
            guard let position = assignment.correction else { continue }
            self.corrections[assignment.partition] = Correction(of: assignment.committed, to: position)
        }
    }

    /// Returns the position with which to take up a partition in place of the committed one; nil if that is right, as far
    /// as is known. A later commit is right again, even if this engine does not know that it succeeded.
    func correction(of committed: CommittedPosition) -> CommittedPosition? {
        guard let correction = self.corrections[committed.partition], correction.committed == committed else {
            return nil
        }
        return correction.position
    }

    /// Says what happened to a log. Deaths that were noted by its offsets belong to records that are gone.
    private func tell(of partition: TopicPartition, at offset: Int64, _ reason: String) {
        self.crashes?.forgive(topic: partition.topic, partition: partition.partition)
        self.logger.error("\(reason)", metadata: ["partition": "\(partition)", "offset": "\(offset)"])
    }
}
