import Kafka
import Logging
import ServiceKit

// The phases of the membership: assignment, revocation, loss, and leaving the group. The group waits for an
// answer to an assignment and to a revocation. That is why there is time for a drain.
extension Engine {
    /// The phase of the membership.
    var phase: Membership.Phase { self.membership.phase }

    /// Acts on an assignment of the group. The partitions are taken up when the committed offsets are known.
    func partitionsAssigned(_ partitions: [TopicPartition]) throws(KafkaError) {
        self.metrics.rebalanced("assigned")
        guard self.membership.assigned(partitions, at: self.now) else { return try self.broker.unassign() }
        // Since then another worker may have had them, and have found out.
        self.corrections = [:]
        // The group assigns only partitions that no other member has. So records that are still in hand
        // belong to partitions that were taken away.
        self.forgetAssignment()
    }

    /// Acts on a revocation: drains the partitions first, unless they are lost.
    func partitionsRevoked(_ partitions: [TopicPartition], isLost: Bool) throws(KafkaError) {
        self.metrics.rebalanced(isLost ? "lost" : "revoked")
        if isLost {
            self.logger.warning("partitions lost", metadata: ["partitions": "\(partitions.count)"])
        }
        if self.membership.revoked(isLost: isLost, at: self.now) { try self.giveUpPartitions() }
    }

    /// Moves from phase to phase as far as possible without waiting.
    func advancePhase() throws(KafkaError) {
        while let step = self.membership.nextStep(self.work, at: self.now) { try self.take(step) }
    }

    private var work: Membership.Work {
        Membership.Work(
            isDrained: self.isDrained,
            isCommitOutstanding: self.isCommitOutstanding,
            hasLeft: self.phase.isEnding && self.broker.hasLeft
        )
    }

    private func take(_ step: Membership.Step) throws(KafkaError) {
        if case .committing = self.phase, self.isCommitOutstanding, step != .commitLast {
            self.logger.warning("the last commit is not acknowledged: what it says may be done again")
        }
        switch step {
        case .takeUp(let partitions): try self.takeUp(partitions)
        case .commitLast: self.beginLastCommit()
        case .giveUp: try self.giveUpPartitions()
        case .takeUpAgain: self.takeUpAgain()
        case .leave: try self.leave()
        }
    }

    /// The monotonic time at which the phase may change without an event; nil if only an event can change it.
    var nextPhaseDeadline: Int64? {
        self.membership.nextStepDue(isCommitOutstanding: self.isCommitOutstanding, at: self.now)
    }

    /// Asks for the committed offsets and takes up the partitions. If the cluster does not answer, the
    /// question is repeated a second later.
    ///
    /// - Throws: The error of the consumer if it is fatal.
    private func takeUp(_ partitions: [TopicPartition]) throws(KafkaError) {
        do {
            if !partitions.isEmpty, self.dispatch.gates.shareRates {
                self.consumedPartitions = max(
                    1,
                    try self.broker.partitionCount(of: self.settings.consumedTopics)
                )
            }
            if !partitions.isEmpty, let topic = self.lot?.topic {
                // The parking topic may have got more partitions, together with the input topic.
                self.lot?.partitions = Int32(clamping: try self.broker.partitionCount(of: [topic]))
            }
            let committed = partitions.isEmpty ? [] : try self.broker.committed(partitions)
            let sources = try self.broker.assign(
                committed.map {
                    Assignment<B.Source>.start(
                        of: self.correction(of: $0) ?? $0,
                        at: self.place(of: $0.partition)
                    )
                }
            )
            let positions = Dictionary(committed.map { ($0.partition, $0) }) { $1 }
            self.assignments = sources.map { source in
                let none = CommittedPosition(partition: source.partition, offset: nil)
                let position = positions[source.partition] ?? none
                return Assignment(
                    source: source,
                    committed: position,
                    correctedTo: self.correction(of: position),
                    place: self.place(of: source.partition),
                    isCompacted: self.facts.isInputCompacted
                        && source.partition.topic == self.settings.inputTopic
                )
            }
            self.tellParkedOfOrder()
            for assignment in self.assignments { self.tellOfMisfit(assignment) }
        } catch {
            guard !error.isFatal else { throw error }
            if self.assignTrouble == nil {
                self.logger.warning("committed offsets not known yet", metadata: ["error": "\(error)"])
            }
            self.assignTrouble = Trouble(error, since: self.assignTrouble?.since ?? self.now.monotonic)
            return self.membership.couldNotTakeUp(partitions, at: self.now)
        }
        self.assignTrouble = nil
        self.clientTrouble = nil
        self.membership.tookUp()
        self.shareRate()
        self.takeStockOfCrashes()
        self.beginRecall()
        self.logger.info(
            "assigned",
            metadata: ["partitions": "\(partitions.count)", "epoch": "\(self.membership.epoch)"]
        )
    }

    /// Returns the mark of a partition, which everything that is stored by offset names.
    func place(of partition: TopicPartition) -> PartitionMark {
        PartitionMark(clusterID: self.facts.clusterID, partition)
    }

    /// Takes up the current partitions once more, as if they had just been assigned.
    private func takeUpAgain() {
        let partitions = self.assignments.map(\.partition)
        self.keepCorrections()
        self.forgetAssignment()
        self.membership.restarted(partitions, at: self.now)
    }

    private func tellOfMisfit(_ assignment: Assignment<B.Source>) {
        guard let misfit = assignment.misfit else { return }
        self.logger.warning(
            "the metadata of a committed offset was ignored: records after it may be done again",
            metadata: ["partition": "\(assignment.partition)", "cause": "\(misfit.rawValue)"]
        )
    }

    /// Whether no call is in flight, and the broker has acknowledged everything that was sent. Records that
    /// only wait do not count.
    private var isDrained: Bool { self.table.count(of: .calling) == 0 && self.table.settlingCount == 0 }

    private func beginLastCommit() {
        if !self.isDrained {
            self.logger.warning(
                "drain limit passed",
                metadata: [
                    "calls": "\(self.table.count(of: .calling))",
                    "unacknowledged": "\(self.table.settlingCount)",
                ]
            )
        }
        self.commits.lastWanted(at: self.now.monotonic)
    }

    /// Forgets everything in hand and answers the group. A record whose offset was not committed is read
    /// again by the next owner.
    private func giveUpPartitions() throws(KafkaError) {
        self.forgetAssignment()
        self.corrections = [:]
        self.membership.gaveUp()
        try self.broker.unassign()
        self.logger.info("partitions given up", metadata: ["epoch": "\(self.membership.epoch)"])
    }

    /// Drops everything in hand and asks the broker to leave the group.
    private func leave() throws(KafkaError) {
        self.dropEverythingInHand()
        self.membership.beganToLeave(at: self.now)
        try self.broker.leave()
    }

    /// Forgets the assigned partitions and everything in hand.
    private func forgetAssignment() {
        self.dropEverythingInHand()
        for assignment in self.assignments { self.metrics.partitions.forget(assignment.partition) }
        self.assignments = []
        // Without partitions there is nothing to write and to commit; a cluster that is still in trouble says so again.
        self.commits.forgetAssignment()
        self.settledSuspects.removeAll()
        self.refused.endTrouble()
    }

    /// Removes every record from memory. The requests in flight go on, and their completions will be stale.
    /// Calls that wait for a request are not made.
    private func dropEverythingInHand() {
        for id in self.table.ids { self.drop(id) }
        self.upstream.dropUnsent()
        self.dispatch.queues.removeAll()
        self.refused.removeAll()
        self.order.removeAll()
        self.condemned.removeAll()
        self.forgetParking()
        self.transaction.forgetMembers()
        if let took = self.membership.endDrain(at: self.now) { self.metrics.drained(nanoseconds: took) }
    }
}
