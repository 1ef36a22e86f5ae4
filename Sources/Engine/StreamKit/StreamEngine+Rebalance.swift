import Kafka
import Logging
import Records
import ServiceKit

// Partitions are assigned, their states are read back, and they are given up.
extension StreamEngine {
    // MARK: - Assignment

    func assigned(_ partitions: [TopicPartition]) {
        // A member that is leaving the group accepts no partitions; it answers the assignment by giving them
        // up.
        guard self.phase == .working || self.phase == .draining else { return self.revocation = .asked }
        self.hasAssignment = true
        self.clientTrouble = nil
        self.offered = partitions
        self.offerRetryAt = .min
        // Since then another worker may have had the partitions, and have found out.
        self.madeAnew = [:]
    }

    /// Takes up the partitions that the group has assigned, once there is a transaction to work in.
    func takeUpOffer() throws(KafkaError) {
        guard let offered = self.offered, self.stage == .open, self.now.monotonic >= self.offerRetryAt else {
            return
        }
        do {
            try self.takeUp(offered)
            self.offered = nil
        } catch {
            guard !error.isFatal else { throw error }
            // The error is logged when it is a new one, and not once a second. A report of a standstill names
            // it too.
            if self.lastTrouble != "\(error)" {
                self.logger.warning("partitions not taken up yet", metadata: ["error": "\(error)"])
            }
            self.lastTrouble = "\(error)"
            self.assignments = []
            self.offerRetryAt = self.now.after(.seconds(1))
        }
    }

    private func takeUp(_ partitions: [TopicPartition]) throws(KafkaError) {
        // This waits until the transactions that the partitions are part of are decided. After that, no other
        // member can commit for them, and what their tasks have written is complete.
        let committed = try self.committed(partitions)
        let sources = try self.broker.assign(committed.map(self.start))
        var assignments: [Assignment<B.Source>] = []
        for source in sources {
            let position = committed.first { $0.partition == source.partition }
            let nowhere = CommittedPosition(partition: source.partition, offset: nil)
            assignments.append(self.assignment(source, position ?? nowhere))
        }
        try self.findEnds(&assignments)
        for index in assignments.indices { self.lookForLandmark(&assignments[index]) }
        self.doubt(committed)
        self.kept = [:]
        self.assignments = assignments
        self.takeStockOfCrashes()
        // Tasks that were kept are not empty, so their bytes are counted at once.
        self.bytesCountedAt = .min
        try self.startRestoring()
        self.logger.info(
            "took up partitions",
            metadata: [
                "count": "\(assignments.count)",
                "to_restore": "\(assignments.count { !$0.isWorking })",
            ]
        )
    }

    private func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition] {
        try self.broker.committed(partitions).map {
            // A commit of another topic of the same name says nothing about this one. A later commit does, even if this
            // engine does not know that it succeeded.
            self.madeAnew[$0.partition] == $0 ? CommittedPosition(partition: $0.partition, offset: nil) : $0
        }
    }

    /// Returns the position at which reading begins: a record before the commit, if the commit names one.
    private func start(of committed: CommittedPosition) -> CommittedPosition {
        guard let landmark = CommitStamp.landmark(of: committed, in: self.clusterID) else { return committed }
        return CommittedPosition(partition: committed.partition, offset: landmark.offset)
    }

    private func lookForLandmark(_ assignment: inout Assignment<B.Source>) {
        guard let landmark = CommitStamp.landmark(of: assignment.committed, in: self.clusterID),
            let offset = assignment.committed.offset
        else { return }
        assignment.landmark = landmark
        // All records are processed in their order, so no other record came between the landmark and the commit.
        assignment.check = LandmarkCheck(landmark, newest: landmark, below: offset)
    }

    /// Notes that the log of a partition lost its end. It has its landmark, and every record after that is new.
    func logCutOff(_ partition: TopicPartition) {
        self.crashes?.forgive(topic: partition.topic, partition: partition.partition)
        self.logger.error(
            "a log lost its end: all its records after the last one that was processed are new",
            metadata: ["partition": "\(partition)"]
        )
    }

    /// Notes that another record stands at the landmark of a commit. All partitions are taken up once more,
    /// this one from its beginning.
    func topicMadeAnew(_ index: Int) {
        let partition = self.assignments[index].partition
        self.madeAnew[partition] = self.assignments[index].committed
        self.crashes?.forgive(topic: partition.topic, partition: partition.partition)
        self.logger.error(
            "a topic was deleted and made again: what was committed of it is ignored",
            metadata: ["partition": "\(partition)"]
        )
        self.broken(
            KafkaError(code: .unknownPartition, message: "a topic was made anew", requiresAbort: true),
            perhapsBySize: false
        )
    }

    private func assignment(
        _ source: B.Source,
        _ committed: CommittedPosition
    ) -> Assignment<B.Source> {
        let partition = source.partition
        if let kept = self.kept[partition], kept.committed == committed, committed.offset != nil {
            // No other member has committed anything in between, so none has written anything either. The
            // offset alone does not show that, because a task can write without having read.
            return Assignment(
                partition: partition,
                task: kept.task,
                source: source,
                stage: .working,
                committed: committed
            )
        }
        return Assignment(
            partition: partition,
            task: self.application.task(for: partition),
            source: source,
            // The end is found out for all partitions at once (`findEnds`).
            stage: .restoring(end: .max, since: self.now.monotonic),
            committed: committed
        )
    }

    /// Logs the commits whose text is about another commit. Their offsets are used all the same, because the
    /// group decides where it stands. Nothing else of such a commit is used.
    private func doubt(_ committed: [CommittedPosition]) {
        for position in committed where CommitStamp.fits(position, of: self.clusterID) == false {
            self.logger.warning(
                "the group's offset was moved, or comes from another cluster or topic: the state is read back",
                metadata: [
                    "topic": "\(position.partition.topic)", "partition": "\(position.partition.partition)",
                    "offset": "\(position.offset ?? 0)",
                ]
            )
        }
    }

    /// Finds out how far the states have to be read back.
    private func findEnds(_ assignments: inout [Assignment<B.Source>]) throws(KafkaError) {
        let restoring = assignments.indices.filter { !assignments[$0].isWorking }
        let ends = try self.memory.ends(of: restoring.map { self.memoryPartition(of: assignments[$0]) })
        for index in restoring {
            guard assignments[index].task.memory != .none else {
                assignments[index].stage = .restoring(end: 0, since: self.now.monotonic)
                continue
            }
            guard var end = ends[self.memoryPartition(of: assignments[index])] else {
                throw KafkaError(code: .timedOut, message: "the cluster does not tell where a state ends")
            }
            if case .input = assignments[index].task.memory {
                // A topic that was created again may be shorter than what the group has read of the old one.
                end = min(end, assignments[index].committed.offset ?? 0)
                // Between the landmark and the commit there was no record. A log that lost its end has new ones there.
                let landmark = CommitStamp.landmark(of: assignments[index].committed, in: self.clusterID)
                end = min(end, landmark.map { $0.offset + 1 } ?? .max)
            }
            assignments[index].stage = .restoring(end: end, since: self.now.monotonic)
        }
    }

    /// Takes up again every partition that this engine holds, because the tasks may be ahead of what is
    /// written.
    func retakeAll() {
        guard self.offered == nil, !self.assignments.isEmpty else { return }
        self.offered = self.assignments.map(\.partition)
        self.offerRetryAt = .min
        self.assignments = []
    }

    // MARK: - Reading back

    private func startRestoring() throws(KafkaError) {
        let partitions = self.assignments.compactMap { assignment -> TopicPartition? in
            guard case .restoring(let end, _) = assignment.stage, end > 0 else { return nil }
            return self.memoryPartition(of: assignment)
        }
        try self.memory.start(partitions)
        self.isRestoring = true
        try self.finishRestored()
    }

    private func memoryPartition(of assignment: Assignment<B.Source>) -> TopicPartition {
        switch assignment.task.memory {
        case .changelog(let changelog): changelog
        case .input, .none: assignment.partition
        }
    }

    /// The number of records that are read back between two looks at everything else.
    private static var restoreBatch: Int { 2_048 }

    /// Reads back some records of the states.
    ///
    /// - Returns: Whether there was anything to read. Records that arrive later wake the engine.
    func restore() throws(KafkaError) -> Bool {
        var places: [TopicPartition: Int] = [:]
        for index in self.assignments.indices where !self.assignments[index].isWorking {
            places[self.memoryPartition(of: self.assignments[index])] = index
        }
        let spreads = Dictionary(self.application.spreads.map { ($0.topic, $0) }) { $1 }
        let taken = self.memory.read(atMost: Self.restoreBatch) { record in
            let name = TopicPartition(topic: record.topic, partition: record.partition)
            guard let index = places[name], case .restoring(let end, _) = self.assignments[index].stage,
                record.offset < end
            else { return }
            if self.refusal == nil { self.refusal = spreads[record.topic]?.failure(of: record) }
            guard self.refusal == nil else { return }
            self.assignments[index].task.restore(record, at: self.provenNow)
            if record.offset + 1 >= end { self.finish(index) }
        } _: { error in
            self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
        }
        self.metrics.restored(taken)
        guard self.refusal == nil else { return false }
        try self.finishRestored()
        return taken > 0
    }

    private func finishRestored() throws(KafkaError) {
        for index in self.assignments.indices {
            guard case .restoring(let end, _) = self.assignments[index].stage else { continue }
            let read = self.memory.readEnd(of: self.memoryPartition(of: self.assignments[index]))
            if end == 0 || (read ?? -1) >= end { self.finish(index) }
        }
        if self.assignments.allSatisfy(\.isWorking) { try self.stopRestoring() }
    }

    private func stopRestoring() throws(KafkaError) {
        self.isRestoring = false
        try self.memory.stop()
    }

    private func finish(_ index: Int) {
        guard case .restoring(_, let since) = self.assignments[index].stage else { return }
        self.assignments[index].stage = .working
        self.assignments[index].task.restored(at: self.provenNow)
        let seconds = Double(self.now.monotonic - since) / 1e9
        self.metrics.restored(in: seconds)
        self.bytesCountedAt = .min
        self.logger.info(
            "read back the state",
            metadata: [
                "topic": "\(self.assignments[index].partition.topic)",
                "partition": "\(self.assignments[index].partition.partition)",
                "seconds": "\(seconds)",
                "bytes": "\(self.assignments[index].task.byteCount)",
            ]
        )
    }

    // MARK: - Revocation

    func revoked(isLost: Bool) {
        self.offered = nil
        if isLost {
            // The records of this transaction may not be committed.
            self.assignments = []
            self.kept = [:]
            if self.hasWork {
                self.broken(
                    KafkaError(code: .unknownMember, message: "partitions lost", requiresAbort: true),
                    perhapsBySize: false
                )
            }
            self.revocation = .lost
        } else {
            if self.phase == .working { self.phase = .draining }
            self.revocation = self.revocation ?? .asked
        }
    }

    /// Gives partitions up, or leaves the group, once what is in hand is committed.
    func turnPhase() throws(KafkaError) {
        switch self.revocation {
        case .lost: try self.giveUp()
        case .asked: if self.isDrained || self.phase == .leaving { try self.giveUp() }
        case nil: break
        }
        if self.phase == .stopping, self.revocation == nil, self.isDrained {
            if self.offered != nil { try self.giveUp() }
            self.phase = .leaving
            self.leavingUntil = self.now.after(Self.leaveLimit)
            try self.broker.leave()
        }
        if self.phase == .leaving, self.broker.hasLeft || self.now.monotonic >= self.leavingUntil {
            self.phase = .left
        }
    }

    /// The longest wait for the group to confirm that this member has left.
    private static var leaveLimit: Duration { .seconds(5) }

    /// Whether no work is under way. A broken transaction is not waited for, because it is never committed.
    private var isDrained: Bool {
        switch self.stage {
        case .closed, .opening: true
        case .open: !self.hasWork
        case .closing, .committing: false
        }
    }

    private func giveUp() throws(KafkaError) {
        self.revocation = nil
        self.hasAssignment = false
        self.clientTrouble = nil
        self.offered = nil
        self.kept = [:]
        if self.stage == .open {
            for assignment in self.assignments where assignment.isWorking && assignment.position == nil {
                self.kept[assignment.partition] = (assignment.task, assignment.committed)
            }
        }
        self.assignments = []
        // Before the group can give them to another thread of this process, which shows the same gauges.
        self.metrics.partitions.forgetAll(except: [])
        // A reader whose records are not taken would go on fetching, and wake the engine for it.
        if self.isRestoring { try self.stopRestoring() }
        try self.broker.unassign()
        if self.phase == .draining { self.phase = .working }
    }
}
