package import Kafka
import Records
import ServiceKit
import WireFormats

// The broker as a member of its consumer group.
extension SimulatedBroker {
    var canBeDealtTo: Bool { self.membership == .idle && !self.isLeaving }

    func askForPartitions(isLost: Bool) {
        if isLost { self.generation = -1 }
        self.hasLost = self.hasLost || isLost
        switch self.membership {
        case .assigned:
            self.membership = .asked
            self.tell(.revoked(self.sources.map(\.partition), isLost: isLost))
        // As in librdkafka, no event follows before the last one has been answered.
        case .given: self.isAskedBack = true
        case .asked: break
        case .idle: self.hasLost = false
        }
    }

    func deal(_ partitions: [TopicPartition], in generation: Int) {
        self.membership = .given
        self.owned = Set(partitions)
        self.generation = generation
        self.tell(.assigned(partitions))
    }

    // MARK: - What the engine asks for

    /// Accepts the assignment, and begins to judge what is done with it.
    package func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [SimulatedSource] {
        guard self.isAlive() else { throw .timedOut }
        self.acknowledged = []
        self.sources = positions.map { self.source(at: $0) }
        self.judges.assigned(positions, in: self.cluster)
        if self.membership == .given { self.membership = .assigned }
        if self.isAskedBack {
            self.isAskedBack = false
            self.askForPartitions(isLost: false)
        }
        return self.sources
    }

    private func source(at position: CommittedPosition) -> SimulatedSource {
        let source = SimulatedSource(position, self.cluster)
        source.asked = { [unowned self] wanted in
            guard !self.isDead,
                let complaint = self.judges.hand.complaint(about: wanted, callBytes: self.callBytes())
            else { return }
            self.cluster.violations.append(complaint)
        }
        source.handedOver = { [unowned self] record in
            // A record that is read counts as a request, which a sleeping process must not make late. It does
            // not count with transactions: an expired record may have made room for it there, and nothing
            // shows when that happened.
            if self.epoch == nil { self.requests += 1 }
            self.progress += 1
            self.cluster.narrator?.tell("broker of \(self.number)", "hands over \(record.place)")
            guard let origin = self.cluster.originName(of: record) else { return }
            // The worker does not hold a record of the input that is parked.
            guard !self.cluster.tickets.contains(origin) || record.topic != SimulatedCluster.topic else {
                return
            }
            let due = RetryTicket(record.headers)?.due
            let isDue = due.map { $0 <= self.cluster.clock.now.wall } ?? true
            self.judges.hand.read(record, origin, at: self.now, isDue: isDue)
        }
        return source
    }

    /// Gives up all partitions. The member then leaves, or takes part in the next assignment.
    package func unassign() throws(KafkaError) {
        guard self.isAlive() else { return }
        self.report([self.judges.unassigned(in: self.cluster)].compactMap { $0 })
        self.sources = []
        self.hasLost = false
        self.isAskedBack = false
        self.owned = []
        self.membership = .idle
        self.partitionsGivenUp()
        if self.isLeaving {
            self.hasLeft = true
            self.cluster.remove(self)
        } else if self.isDeposed {
            self.rejoin()
        } else {
            self.cluster.dealIfAllAnswered()
        }
    }

    /// Begins to leave the group. It is over when `hasLeft` is true.
    package func leave() throws(KafkaError) {
        guard self.isAlive() else { return }
        self.isLeaving = true
        switch self.membership {
        case .idle:
            self.hasLeft = true
            self.cluster.remove(self)
        // The rebalance that the engine was told of must be answered first.
        case .given, .asked: break
        case .assigned: self.askForPartitions(isLost: false)
        }
    }
}
