package import Kafka
import Records

/// The result of a request to commit a transaction.
package enum TransactionFate {
    /// The broker commits, and the client gets the answer after this time.
    case committed(after: Duration)
    /// The broker refuses, and nothing is committed.
    case refused(KafkaError, after: Duration)
    /// The client gets no answer in this time. The broker has done a part of the commit meanwhile.
    case unanswered(after: Duration, Progress)

    /// The part of a commit that the broker has done.
    package enum Progress {
        /// The broker has received nothing.
        case nothing
        /// The broker has received the offsets, but not the commit.
        case offsets
        /// The broker has committed the transaction.
        case everything
        /// The broker commits the transaction this long after the client has given up.
        case everythingLate(by: Duration)
    }
}

/// The transaction coordinator of the simulated cluster. It decides which producer may write, and when
/// readers see its records.
///
/// As in Kafka, a producer gets a new epoch when it is made again and when its transaction has taken too
/// long, and requests with an old epoch are refused. Offsets carry the generation of the group that their
/// sender knows; any other than the present one is refused (KIP-447).
final class SimulatedTransactions {
    private struct Producer {
        var epoch = 0
        var isOngoing = false
        var records: [OutboundRecord] = []
        var offsets: [CommittedPosition] = []
        /// The number of the current transaction.
        var transaction = 0
    }

    private var producers: [Int: Producer] = [:]
    /// Makes a committed transaction visible, all of it at once.
    var apply: ([OutboundRecord], [CommittedPosition]) -> Void = { _, _ in }

    /// Called when a transaction begins, with its producer and its number.
    var began: (Int, Int) -> Void = { _, _ in }
    /// Called for each record that is written, with its producer and the number of its transaction.
    var wrote: (OutboundRecord, Int, Int) -> Void = { _, _, _ in }
    /// Called when a transaction ends, with its producer, its number, and whether it is committed.
    var decided: (Int, Int, Bool) -> Void = { _, _, _ in }

    /// Registers a producer, for the first time or again, and aborts the transaction that it had left open.
    ///
    /// - Returns: the new epoch.
    func open(_ id: Int) -> Int {
        self.forget(id)
        self.producers[id, default: Producer()].epoch += 1
        return self.producers[id]?.epoch ?? 0
    }

    /// Adds a record to the transaction.
    ///
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

    /// Ends a transaction that has taken too long, and fences its producer.
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

    /// Returns whether an undecided transaction contains an offset of this partition.
    func isUnstable(_ partition: TopicPartition) -> Bool {
        self.producers.values.contains { $0.offsets.contains { $0.partition == partition } }
    }
}
