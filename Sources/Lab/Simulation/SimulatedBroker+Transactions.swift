package import Kafka
import ServiceKit

// The transactions of the producer.
extension SimulatedBroker {
    package func openTransactions() throws(KafkaError) {
        self.cluster.narrator?.tell("broker of \(self.number)", "open")
        guard self.isAlive() else { return }
        self.era += 1
        self.isFenced = false
        if let error = self.cluster.openFate() {
            return self.answer(after: .seconds(1)) { .transaction(.failed(error)) }
        }
        let era = self.era
        self.send(after: .milliseconds(2)) { [self] in
            if self.era == era { self.epoch = self.cluster.transactions.open(self.number) }
        }
        self.answer(after: .milliseconds(4)) { .transaction(.opened) }
    }

    package func commitTransaction(_ positions: [CommittedPosition]) {
        self.cluster.narrator?.tell("broker of \(self.number)", "commit of \(positions)")
        guard self.isAlive(), let epoch = self.epoch else { return }
        self.isEndingTransaction = true
        if self.generation < 0 {
            let error = KafkaError(code: .unknownMember, message: "not a member", requiresAbort: true)
            return self.tell(.transaction(.failed(error)))
        }
        switch self.cluster.transactionFate(positions) {
        case .committed(let delay): self.commit(positions, epoch, after: delay)
        case .refused(let error, let delay): self.answer(after: delay) { .transaction(.failed(error)) }
        case .unanswered(let patience, let progress):
            self.commitUnheard(positions, epoch, after: patience, progress: progress)
        }
    }

    private func commit(_ positions: [CommittedPosition], _ epoch: Int, after delay: Duration) {
        var refusal: KafkaError?
        let generation = self.generation
        self.send(after: delay / 3) { [self] in refusal = self.addOffsets(positions, epoch, in: generation) }
        self.send(after: delay * 2 / 3) { [self] in
            guard refusal == nil else { return }
            if !self.cluster.transactions.commit(self.number, epoch: epoch) { refusal = .fenced }
            if refusal == nil, !positions.isEmpty {
                self.progress += 1
                self.committedTransactions += 1
            }
        }
        self.answer(after: delay) { .transaction(refusal.map { .failed($0) } ?? .committed) }
    }

    private func addOffsets(_ positions: [CommittedPosition], _ epoch: Int, in generation: Int) -> KafkaError?
    {
        guard self.isOwner(in: generation, of: positions) else {
            return KafkaError(
                code: .illegalGeneration,
                message: "not the current generation",
                requiresAbort: true
            )
        }
        return self.cluster.transactions.add(positions, self.number, epoch: epoch) ? nil : .fenced
    }

    /// Lets the client wait in vain for the result of its commit, of which the broker does a part.
    private func commitUnheard(
        _ positions: [CommittedPosition],
        _ epoch: Int,
        after patience: Duration,
        progress: TransactionFate.Progress
    ) {
        var isRefused = false
        let generation = self.generation
        if case .nothing = progress {
        } else {
            self.send(after: .milliseconds(3)) { [self] in
                isRefused = self.addOffsets(positions, epoch, in: generation) != nil
            }
        }
        let end = { [self] in
            if !isRefused { _ = self.cluster.transactions.commit(self.number, epoch: epoch) }
        }
        switch progress {
        case .nothing, .offsets: break
        case .everything: self.send(after: .milliseconds(5), end)
        // This request has taken another way, so it is not in line with requests that are sent later.
        case .everythingLate(let delay):
            self.cluster.network.add(end, due: self.now + (patience + delay).wholeNanoseconds)
        }
        self.answer(after: patience) { .transaction(.failed(.timedOut)) }
    }

    package func abortTransaction() {
        self.cluster.narrator?.tell("broker of \(self.number)", "abort")
        guard self.isAlive(), let epoch = self.epoch else { return }
        self.isEndingTransaction = true
        self.era += 1
        if let error = self.cluster.openFate() {
            return self.answer(after: .seconds(1)) { .transaction(.failed(error)) }
        }
        var isFenced = false
        self.send(after: .milliseconds(2)) { [self] in
            isFenced = !self.cluster.transactions.abort(self.number, epoch: epoch)
        }
        self.answer(after: .milliseconds(4)) { .transaction(isFenced ? .failed(.fenced) : .aborted) }
    }
}
