import Logging
import Kafka

// Assignment, revocation, loss, and the way out. The group waits for an answer to the first two, which is what
// makes a drain possible.
extension Engine {
    func partitionsAssigned(_ partitions: [TopicPartition]) {
        self.metrics.rebalanced("assigned")
        self.phase = .assigning(partitions, retryAt: self.now.monotonic)
    }

    func partitionsRevoked(_ partitions: [TopicPartition], isLost: Bool) throws(KafkaError) {
        self.metrics.rebalanced(isLost ? "lost" : "revoked")
        if isLost {
            self.logger.warning("partitions lost", metadata: ["partitions": "\(partitions.count)"])
            try self.giveUpPartitions()
        } else if case .working = self.phase {
            self.beginDrain(.revoked)
        } else if case .draining(let until, .stopping) = self.phase {
            // Already draining: the group asked while this engine was stopping.
            self.phase = .draining(until: until, .revoked)
        } else {
            try self.giveUpPartitions()
        }
    }

    /// Moves from phase to phase as far as it goes now.
    func advancePhase() throws(KafkaError) {
        if self.isStopping { self.beginStop() }
        if case .assigning(let partitions, let retryAt) = self.phase, self.now.monotonic >= retryAt {
            try self.takeUp(partitions)
        }
        if case .draining(let until, let why) = self.phase,
            self.isDrained || self.now.monotonic >= until
        {
            self.beginLastCommit(why)
        }
        if case .committing(let until, let why) = self.phase,
            !self.commit.isOutstanding || self.now.monotonic >= until
        {
            if why == .revoked {
                try self.giveUpPartitions()
            } else {
                try self.leave()
            }
        }
        if self.phase == .leaving, self.broker.hasLeft { self.phase = .left }
    }

    var nextPhaseDeadline: Int64? {
        switch self.phase {
        case .assigning(_, let retryAt): retryAt
        case .draining(let until, _), .committing(let until, _): until
        // Leaving is a conversation that librdkafka does not announce on the queue: look often.
        case .leaving: self.now.monotonic + 10_000_000
        case .idle, .working, .left: nil
        }
    }

    private func takeUp(_ partitions: [TopicPartition]) throws(KafkaError) {
        do {
            let committed = partitions.isEmpty ? [] : try self.broker.committed(partitions)
            let sources = try self.broker.assign(committed)
            let positions = Dictionary(committed.map { ($0.partition, $0) }) { $1 }
            self.assignments = sources.map { source in
                let none = CommittedPosition(partition: source.partition, offset: nil)
                return Assignment(source: source, committed: positions[source.partition] ?? none)
            }
        } catch {
            guard !error.isFatal else { throw error }
            self.logger.warning("committed offsets not known yet", metadata: ["error": "\(error)"])
            self.phase = .assigning(partitions, retryAt: self.now.monotonic + 1_000_000_000)
            return
        }
        self.epoch += 1
        self.phase = .working
        self.logger.info(
            "assigned",
            metadata: ["partitions": "\(partitions.count)", "epoch": "\(self.epoch)"]
        )
    }

    private func beginStop() {
        switch self.phase {
        case .working: self.beginDrain(.stopping)
        case .idle: self.phase = .committing(until: self.now.monotonic, .stopping)
        case .assigning: self.phase = .committing(until: self.now.monotonic, .stopping)
        case .draining, .committing, .leaving, .left: break
        }
    }

    private func beginDrain(_ why: Draining) {
        let until = self.now.monotonic + self.settings.drainLimit.wholeNanoseconds
        self.phase = .draining(until: until, why)
        self.drainStarted = self.now.monotonic
    }

    /// Whether nothing is on its way to or from the upstream or the broker.
    private var isDrained: Bool { self.callsInFlight == 0 && self.settlingCount == 0 }

    private func beginLastCommit(_ why: Draining) {
        if !self.isDrained {
            self.logger.warning(
                "drain limit passed",
                metadata: ["calls": "\(self.callsInFlight)", "unacknowledged": "\(self.settlingCount)"]
            )
        }
        let until = self.now.monotonic + self.settings.commitLimit.wholeNanoseconds
        self.phase = .committing(until: until, why)
        self.commit.isWantedNow = true
    }

    /// Forgets everything in hand and answers the group. What was not committed, somebody will read again.
    private func giveUpPartitions() throws(KafkaError) {
        self.dropEverythingInHand()
        self.assignments = []
        self.commit = CommitState()
        try self.broker.unassign()
        if self.phase != .leaving { self.phase = .idle }
        self.metrics.drained(nanoseconds: self.drainStarted.map { self.now.monotonic - $0 } ?? 0)
        self.drainStarted = nil
        self.logger.info("partitions given up", metadata: ["epoch": "\(self.epoch)"])
    }

    private func leave() throws(KafkaError) {
        self.dropEverythingInHand()
        self.phase = .leaving
        try self.broker.leave()
    }

    private func dropEverythingInHand() {
        for id in self.table.ids {
            let entry = self.table[id]
            if entry.state == .calling { self.abandonCall(entry) }
            self.table.remove(id)
        }
        self.ready = Fifo()
        self.backingOff = DueQueue()
        self.resending = DueQueue()
        self.tails = [:]
        self.held = [:]
        self.settlingCount = 0
    }
}
