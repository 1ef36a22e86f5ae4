import Kafka
import Logging
import ServiceKit

// The phases of the membership: assignment, revocation, loss, and leaving the group. The group waits for an
// answer to an assignment and to a revocation. That is why there is time for a drain.
extension Engine {
    /// Acts on an assignment of the group. The partitions are taken up when the committed offsets are known.
    func partitionsAssigned(_ partitions: [TopicPartition]) throws(KafkaError) {
        self.metrics.rebalanced("assigned")
        switch self.phase {
        // The engine no longer takes partitions, but it has to answer: the group waits for the answer, and
        // librdkafka cannot leave before it.
        case .leaving, .left: return try self.broker.unassign()
        case .idle, .assigning, .working, .draining, .committing: break
        }
        // The group assigns only partitions that no other member has. So records that are still in hand
        // belong to partitions that were taken away.
        self.forgetAssignment()
        self.phase = .assigning(partitions, retryAt: self.now.monotonic)
    }

    /// Acts on a revocation: drains the partitions first, unless they are lost and another member has them
    /// already.
    func partitionsRevoked(_ partitions: [TopicPartition], isLost: Bool) throws(KafkaError) {
        self.metrics.rebalanced(isLost ? "lost" : "revoked")
        if isLost {
            self.logger.warning("partitions lost", metadata: ["partitions": "\(partitions.count)"])
            return try self.giveUpPartitions()
        }
        switch self.phase {
        case .working: self.beginDrain(.revoked)
        // The engine was draining for another reason. The group is answered first.
        case .draining(let until, _): self.phase = .draining(until: until, .revoked)
        case .committing(let until, _): self.phase = .committing(until: until, .revoked)
        case .idle, .assigning, .leaving, .left: try self.giveUpPartitions()
        }
    }

    /// Moves from phase to phase as far as possible without waiting.
    func advancePhase() throws(KafkaError) {
        var before: Phase
        repeat {
            before = self.phase
            try self.takeNextStep()
        } while self.phase != before
    }

    private func takeNextStep() throws(KafkaError) {
        switch self.phase {
        case .idle where self.isStopping: try self.leave()
        case .assigning where self.isStopping: try self.giveUpPartitions()
        case .working where self.isStopping: self.beginDrain(.stopping)
        case .assigning(let partitions, let retryAt) where self.now.monotonic >= retryAt:
            try self.takeUp(partitions)
        case .draining(let until, let why) where self.isDrained || self.now.monotonic >= until:
            self.beginLastCommit(why)
        case .committing(let until, let why) where !self.isCommitOutstanding || self.now.monotonic >= until:
            if self.isCommitOutstanding {
                self.logger.warning("the last commit is not acknowledged: what it says may be done again")
            }
            switch why {
            case .revoked: try self.giveUpPartitions()
            case .stopping: try self.leave()
            case .restarting: self.takeUpAgain()
            }
        case .leaving where self.broker.hasLeft || self.now.monotonic >= self.leavingUntil: self.phase = .left
        case .idle, .assigning, .working, .draining, .committing, .leaving, .left: break
        }
    }

    /// The monotonic time at which the phase may change without an event; nil if only an event can change it.
    var nextPhaseDeadline: Int64? {
        switch self.phase {
        case .assigning(_, let retryAt): retryAt
        case .draining(let until, _): until
        case .committing(let until, _): self.isCommitOutstanding ? until : self.now.monotonic
        // librdkafka announces no event when it has left the group, so the engine looks every 10 ms.
        case .leaving: self.now.after(.milliseconds(10))
        case .idle, .working, .left: nil
        }
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
            let committed = partitions.isEmpty ? [] : try self.committed(partitions)
            let sources = try self.broker.assign(
                committed.map { Assignment<B.Source>.start(of: $0, at: self.place(of: $0.partition)) }
            )
            let positions = Dictionary(committed.map { ($0.partition, $0) }) { $1 }
            self.assignments = sources.map { source in
                let none = CommittedPosition(partition: source.partition, offset: nil)
                return Assignment(
                    source: source,
                    committed: positions[source.partition] ?? none,
                    place: self.place(of: source.partition)
                )
            }
            for assignment in self.assignments { self.tellOfMisfit(assignment) }
        } catch {
            guard !error.isFatal else { throw error }
            if self.assignTrouble == nil {
                self.logger.warning("committed offsets not known yet", metadata: ["error": "\(error)"])
            }
            self.assignTrouble = Trouble(error, since: self.assignTrouble?.since ?? self.now.monotonic)
            self.phase = .assigning(partitions, retryAt: self.now.after(.seconds(1)))
            return
        }
        self.assignTrouble = nil
        self.madeAnew = []
        self.epoch += 1
        self.shareRate()
        self.takeStockOfCrashes()
        self.beginRecall()
        self.phase = .working
        self.logger.info(
            "assigned",
            metadata: ["partitions": "\(partitions.count)", "epoch": "\(self.epoch)"]
        )
    }

    private func place(of partition: TopicPartition) -> PartitionMark {
        PartitionMark(clusterID: self.facts.clusterID, partition)
    }

    private func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition] {
        try self.broker.committed(partitions).map {
            // The commit belongs to an earlier topic of the same name, so it is ignored.
            self.madeAnew.contains($0.partition)
                ? CommittedPosition(partition: $0.partition, offset: nil) : $0
        }
    }

    /// Restarts the assignment, because another record has the offset of the commit's landmark: the topic was
    /// deleted and created again. The records in hand are finished first.
    func topicMadeAnew(_ index: Int) {
        guard self.phase == .working else { return }
        let partition = self.assignments[index].partition
        self.madeAnew.insert(partition)
        self.logger.error(
            "a topic was deleted and made again: what was committed of it is ignored",
            metadata: ["partition": "\(partition)"]
        )
        self.beginDrain(.restarting)
    }

    /// Takes up the current partitions once more, as if they had just been assigned.
    private func takeUpAgain() {
        let partitions = self.assignments.map(\.partition)
        self.forgetAssignment()
        self.phase = .assigning(partitions, retryAt: self.now.monotonic)
    }

    private func tellOfMisfit(_ assignment: Assignment<B.Source>) {
        guard let misfit = assignment.misfit else { return }
        self.logger.warning(
            "the metadata of a committed offset was ignored: records after it may be done again",
            metadata: ["partition": "\(assignment.partition)", "cause": "\(misfit.rawValue)"]
        )
    }

    private func beginDrain(_ why: Draining) {
        self.phase = .draining(until: self.now.after(self.settings.drainLimit), why)
        self.drainStarted = self.now.monotonic
    }

    /// Whether no call is in flight, and the broker has acknowledged everything that was sent. Records that
    /// only wait do not count.
    private var isDrained: Bool { self.table.count(of: .calling) == 0 && self.table.settlingCount == 0 }

    private func beginLastCommit(_ why: Draining) {
        if !self.isDrained {
            self.logger.warning(
                "drain limit passed",
                metadata: [
                    "calls": "\(self.table.count(of: .calling))",
                    "unacknowledged": "\(self.table.settlingCount)",
                ]
            )
        }
        self.phase = .committing(until: self.now.after(self.settings.commitLimit), why)
        self.commits.lastWanted(at: self.now.monotonic)
    }

    /// Forgets everything in hand and answers the group. A record whose offset was not committed is read
    /// again by the next owner.
    private func giveUpPartitions() throws(KafkaError) {
        self.forgetAssignment()
        switch self.phase {
        case .leaving, .left: break
        case .idle, .assigning, .working, .draining, .committing: self.phase = .idle
        }
        try self.broker.unassign()
        self.logger.info("partitions given up", metadata: ["epoch": "\(self.epoch)"])
    }

    /// Drops everything in hand and asks the broker to leave the group.
    private func leave() throws(KafkaError) {
        self.dropEverythingInHand()
        self.phase = .leaving
        self.leavingUntil = self.now.after(self.settings.commitLimit)
        try self.broker.leave()
    }

    /// Forgets the assigned partitions and everything in hand.
    private func forgetAssignment() {
        self.dropEverythingInHand()
        for assignment in self.assignments { self.metrics.partitions.forget(assignment.partition) }
        self.assignments = []
        // Without partitions there is nothing to write and to commit; a cluster that is still in trouble says so again.
        self.commits.forgetAssignment()
        self.produceTrouble = nil
    }

    /// Removes every record from memory. The calls in flight go on, and their completions will be stale.
    private func dropEverythingInHand() {
        for id in self.table.ids { self.drop(id) }
        self.dispatch.queues.removeAll()
        self.resending = DueQueue()
        self.order.removeAll()
        self.condemned.removeAll()
        self.forgetParking()
        self.transaction.forgetMembers()
        if let began = self.drainStarted { self.metrics.drained(nanoseconds: self.now.monotonic - began) }
        self.drainStarted = nil
    }
}
