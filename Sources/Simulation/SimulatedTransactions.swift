package import Kafka
import Records

/// What becomes of a commit of a transaction.
package enum TransactionFate {
    case committed(after: Duration)
    /// The broker says no, and nothing is committed.
    case refused(KafkaError, after: Duration)
    /// The client hears nothing for so long. Meanwhile the broker has taken so much of it.
    case unanswered(after: Duration, Progress)

    package enum Progress {
        case nothing
        case offsets
        case everything
        /// Everything, so long after the client has given up waiting.
        case everythingLate(by: Duration)
    }
}

/// The transaction coordinator of the simulated cluster: who may write what, and when it is to be seen.
///
/// As in Kafka, a producer that was made anew, or whose transaction has taken too long, has a new epoch, and what
/// comes under an old one is refused. Offsets show the generation of the group that their sender believes in, and
/// another than the current one is refused (KIP-447).
final class SimulatedTransactions {
    private struct Producer {
        var epoch = 0
        var isOngoing = false
        var records: [OutboundRecord] = []
        var offsets: [CommittedPosition] = []
        /// Counts transactions.
        var transaction = 0
    }

    private var producers: [Int: Producer] = [:]
    /// Makes a committed transaction visible, all of it at once.
    var apply: ([OutboundRecord], [CommittedPosition]) -> Void = { _, _ in }

    /// Told of each transaction that begins, by its producer and its number.
    var began: (Int, Int) -> Void = { _, _ in }
    /// Told of each record that is written, by its producer and the number of its transaction.
    var wrote: (OutboundRecord, Int, Int) -> Void = { _, _, _ in }
    /// Told of each transaction that is decided, likewise, and whether it is committed.
    var decided: (Int, Int, Bool) -> Void = { _, _, _ in }

    /// Makes a producer known, or known anew: whatever it had left open is aborted.
    func open(_ id: Int) -> Int {
        self.forget(id)
        self.producers[id, default: Producer()].epoch += 1
        return self.producers[id]?.epoch ?? 0
    }

    /// - Returns: false if the sender is fenced.
    func write(_ record: OutboundRecord, _ id: Int, epoch: Int) -> Bool {
        guard self.begin(id, epoch: epoch) else { return false }
        self.producers[id]?.records.append(record)
        self.wrote(record, id, self.producers[id]?.transaction ?? 0)
        return true
    }

    func add(_ positions: [CommittedPosition], _ id: Int, epoch: Int) -> Bool {
        guard self.begin(id, epoch: epoch) else { return false }
        self.producers[id]?.offsets = positions
        return true
    }

    private func begin(_ id: Int, epoch: Int) -> Bool {
        guard let producer = self.producers[id], producer.epoch == epoch else { return false }
        if !producer.isOngoing { self.began(id, producer.transaction) }
        self.producers[id]?.isOngoing = true
        return true
    }

    func commit(_ id: Int, epoch: Int) -> Bool {
        guard let producer = self.producers[id], producer.epoch == epoch else { return false }
        self.forget(id, isCommitted: true)
        if producer.isOngoing { self.apply(producer.records, producer.offsets) }
        return true
    }

    func abort(_ id: Int, epoch: Int) -> Bool {
        guard self.producers[id]?.epoch == epoch else { return false }
        self.forget(id)
        return true
    }

    /// The transaction has taken too long: its producer is fenced.
    func expire(_ id: Int, transaction: Int) {
        guard let producer = self.producers[id], producer.isOngoing, producer.transaction == transaction
        else {
            return
        }
        self.forget(id)
        self.producers[id]?.epoch += 1
    }

    private func forget(_ id: Int, isCommitted: Bool = false) {
        if let producer = self.producers[id], producer.isOngoing {
            self.decided(id, producer.transaction, isCommitted)
        }
        self.producers[id]?.isOngoing = false
        self.producers[id]?.records = []
        self.producers[id]?.offsets = []
        self.producers[id]?.transaction += 1
    }

    /// Whether it is not decided yet what the group has committed there.
    func isUnstable(_ partition: TopicPartition) -> Bool {
        self.producers.values.contains { $0.offsets.contains { $0.partition == partition } }
    }
}
