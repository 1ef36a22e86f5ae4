package import Kafka
package import Records
import ServiceKit
import WireFormats

// The records and commits that the engine sends.
extension SimulatedBroker {
    /// Sends a record, in the open transaction if there are transactions.
    package func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError) {
        guard self.isAlive() else { return }
        if self.epoch == nil {
            self.cluster.judgeSend(record)
            self.report(self.judges.sent(record, in: self.cluster))
        }
        if record.canComeOfASweep { self.hasSwept = true }
        if self.isEndingTransaction {
            self.cluster.violations.append("\(record.summary) is sent while its transaction ends")
        }
        if self.isFenced { throw .fenced }
        let fate = self.cluster.fate(of: record)
        self.cluster.narrator?.tell("broker of \(self.number)", "takes \(id), \(record.summary): \(fate)")
        switch fate {
        case .acknowledged(let delay): self.write(record, id: id, after: delay, nil)
        case .failed(let error, let delay, let isWritten):
            if isWritten { return self.write(record, id: id, after: delay, error) }
            let era = self.era
            self.answer(after: delay) { [self] in self.era == era ? .reported(id: id, error) : nil }
        case .refused(let error): throw error
        }
    }

    private func write(_ record: OutboundRecord, id: UInt64, after delay: Duration, _ error: KafkaError?) {
        var refusal: KafkaError?
        let (epoch, era) = (self.epoch, self.era)
        self.send(after: delay / 2) { [self] in
            guard let epoch else {
                self.cluster.write(record)
                if record.topic == SimulatedCluster.parkingTopic { self.cluster.parking?.append(record) }
                return
            }
            guard self.era == era, self.cluster.transactions.write(record, self.number, epoch: epoch) else {
                return refusal = .fenced
            }
        }
        self.answer(after: delay) { [self] in
            guard self.era == era else { return nil }
            if refusal != nil { self.fence() }
            if refusal == nil, error == nil { self.noteAcknowledged(record) }
            return .reported(id: id, error ?? refusal)
        }
    }

    private func noteAcknowledged(_ record: OutboundRecord) {
        if self.epoch == nil { self.progress += 1 }
        if let outcome = SimulatedOutcome(record) {
            let name = outcome.name
            self.acknowledged.insert(name)
            self.judges.hand.settled(name)
        } else if let ticket = RetryTicket(record.headers) {
            self.judges.hand.forwarded(ticket.from)
        } else if record.topic == SimulatedCluster.parkingTopic, let offset = record.key {
            let text = String(decoding: offset, as: UTF8.self)
            self.judges.hand.forwarded("\(SimulatedCluster.topic)/\(record.partition ?? 0)/\(text)")
        }
    }

    func fence() {
        guard !self.isFenced else { return }
        self.isFenced = true
        self.tell(.producerFailed(.fenced))
    }

    /// Sends a commit. A commit without partitions of its own is a violation.
    package func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError) {
        guard self.isAlive() else { return }
        guard !self.owned.isEmpty else {
            self.cluster.violations.append("a commit for partitions that are not owned")
            return self.tell(.committed(id: id, .illegalGeneration))
        }
        let generation = self.generation
        switch self.cluster.commitFate(positions) {
        case .acknowledged(let delay):
            self.store(positions, in: generation, id: id, after: delay, nil)
        case .failed(let error, let delay, let isStored):
            if isStored { return self.store(positions, in: generation, id: id, after: delay, error) }
            self.tell(.committed(id: id, error), after: delay)
        case .refused(let error): throw error
        }
    }

    /// Stores a commit when it arrives, if its sender still has these partitions.
    private func store(
        _ positions: [CommittedPosition],
        in generation: Int,
        id: UInt64,
        after delay: Duration,
        _ error: KafkaError?
    ) {
        var refusal: KafkaError?
        self.send(after: delay / 2) { [self] in
            guard self.isOwner(in: generation, of: positions) else { return refusal = .illegalGeneration }
            self.cluster.store(positions)
        }
        self.answer(after: delay) { .committed(id: id, error ?? refusal) }
    }

    /// Returns whether the group's coordinator regards this member as the owner of these partitions.
    func isOwner(in generation: Int, of positions: [CommittedPosition]) -> Bool {
        self.generation == generation && self.cluster.members.contains { $0 === self }
            && positions.allSatisfy { self.owned.contains($0.partition) }
    }
}
