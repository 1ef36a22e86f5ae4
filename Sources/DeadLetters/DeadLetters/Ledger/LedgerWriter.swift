import EventThread
import Kafka
import Records
import ServiceKit

/// Writes the ledger, and the records that belong to its entries, in Kafka transactions.
///
/// All writers of one ledger have the same `transactional.id`. A writer that opens therefore fences every
/// earlier writer and ends the transaction that it left open. So two engineers cannot replay at once, and the
/// second one, once its writer is open, can read everything that the first one has committed. Belongs to one
/// thread.
final class LedgerWriter {
    /// The broker has fenced this writer: another writer of the same ledger was opened, and this one can
    /// write nothing more.
    struct TakenOver: Error, CustomStringConvertible {
        var description: String { "somebody else has begun to replay or discard: this one is over" }
    }

    /// The cluster did not confirm a commit: the transaction may have been committed or not.
    struct Undecided: Error, CustomStringConvertible {
        var cause: KafkaError

        var description: String {
            "whether the last of it was done is not known (\(self.cause.plainWords)): the same command again finds out"
        }
    }

    private let producer: TransactionalProducer
    private var wait: Wait
    /// The answers to requests about transactions that nothing has waited for yet.
    private var answers: [Transactions.Answer] = []
    /// The ids of the records of this transaction that have no delivery report yet.
    private var unreported: Set<UInt64> = []
    private var lastID: UInt64 = 0
    /// The positions of this transaction's records, by their ids, as far as the broker has told them.
    private var positions: [UInt64: LetterPosition] = [:]
    /// The first error of a record of this transaction, or a fatal error of the producer.
    private var failure: KafkaError?
    private let patience: Duration

    /// Makes the producer; `open()` makes it known to the cluster.
    ///
    /// - Throws: `KafkaError` if librdkafka does not accept the settings.
    init(_ settings: DeadLetterSettings) throws {
        let milliseconds = Int64(settings.transactionTimeout / .milliseconds(1))
        var properties = settings.properties
        properties["transactional.id"] = "flotilla-\(settings.ledgerTopic)"
        properties["transaction.timeout.ms"] = String(milliseconds)
        properties["message.timeout.ms"] = String(milliseconds * 2 / 3)
        properties["linger.ms"] = "5"
        // The broker decides which record is too large, by its own limit; librdkafka's default limit would
        // refuse earlier.
        properties["message.max.bytes"] = properties["message.max.bytes"] ?? "100000000"
        self.producer = try TransactionalProducer(properties)
        self.wait = Wait(on: [self.producer.descriptor])
        self.patience = settings.patience + settings.transactionTimeout
    }

    deinit { self.producer.retire() }

    /// Fences the other writers of this ledger, ends the transaction that one of them left open, and begins a
    /// transaction.
    ///
    /// Waits for the cluster, at most `settings.patience` and `settings.transactionTimeout` together.
    ///
    /// - Throws: `KafkaError` if the cluster does not answer in time or refuses transactions; `TakenOver` if
    ///   another writer was opened meanwhile.
    func open() throws {
        try self.producer.open()
        try self.expect(.opened)
    }

    /// Adds a record to the transaction. Waits while the producer's queue is full.
    ///
    /// - Throws: `KafkaError` if the producer does not accept the record.
    func send(_ record: OutboundRecord) throws {
        self.lastID += 1
        while true {
            do throws(KafkaError) {
                try self.producer.send(record, id: self.lastID)
                break
            } catch  where error.code == .queueFull {
                self.serve(atMost: .milliseconds(100))
            }
        }
        self.unreported.insert(self.lastID)
    }

    /// Adds records to the transaction and waits until the broker has acknowledged all that are in it.
    ///
    /// - Returns: the position of each of these records, in their order; nil for one whose position the broker did not
    ///   tell. Records that are sent afterwards can name the positions, and are committed together with the records.
    /// - Throws: as `commit`, but never `Undecided`.
    func place(_ records: [OutboundRecord]) throws -> [LetterPosition?] {
        let ids = try records.map { record in
            try self.send(record)
            return self.lastID
        }
        try self.acknowledge()
        return ids.map { self.positions[$0] }
    }

    /// Waits until the broker has acknowledged every record of the transaction.
    private func acknowledge() throws {
        let deadline = ContinuousClock.now + self.patience
        while !self.unreported.isEmpty {
            guard ContinuousClock.now < deadline else {
                throw KafkaError(code: .timedOut, message: "no acknowledgement")
            }
            self.serve(atMost: .milliseconds(200))
        }
        try self.check()
    }

    /// Commits the transaction and begins the next. Waits for the cluster.
    ///
    /// - Throws: `KafkaError` if a record failed; call `abort()` then, and no record of the transaction is
    ///   visible to readers of committed records. `TakenOver` if another writer was opened. `Undecided` if
    ///   the cluster did not confirm the commit; this writer is of no use any more then, and the ledger tells
    ///   the result once another writer is open.
    func commit() throws {
        try self.acknowledge()
        self.positions = [:]
        self.producer.commit()
        do {
            try self.expect(.committed)
        } catch let error as KafkaError {
            throw Undecided(cause: error)
        }
    }

    /// Aborts the transaction, so that no reader of committed records sees its records, and begins the next.
    /// Waits for the cluster.
    ///
    /// - Throws: `KafkaError` if the cluster does not answer in time, `TakenOver` if another writer was
    ///   opened.
    func abort() throws {
        self.producer.abort()
        try self.expect(.aborted)
        self.failure = nil
        self.unreported = []
        self.positions = [:]
    }

    /// Waits at most this long for events of the producer and handles them.
    func serve(atMost longest: Duration) {
        self.wait(atMost: longest)
        self.producer.serve(receipts: { self.take($0) }) { event in
            switch event {
            case .answered(let answer): self.answers.append(answer)
            case .lost(let error): self.failure = error
            case .failed(let error) where error.isFatal: self.failure = error
            case .failed, .logged, .reported: break
            }
        }
    }

    private func take(_ receipt: DeliveryReceipt) {
        // A record of an aborted transaction may report its error only later; it is no failure of the records
        // that were sent since.
        guard self.unreported.remove(receipt.id) != nil else { return }
        if let error = receipt.error {
            self.failure = self.failure ?? error
        } else if receipt.offset >= 0 {
            // The offset is negative if the broker has recognised a repeat and does not tell where the first one is.
            self.positions[receipt.id] = LetterPosition(
                topic: receipt.partition.topic,
                partition: receipt.partition.partition,
                offset: receipt.offset
            )
        }
    }

    /// Waits for the answer to the transaction request that was made last.
    private func expect(_ wanted: Transactions.Answer) throws {
        let deadline = ContinuousClock.now + self.patience
        while true {
            while !self.answers.isEmpty {
                let answer = self.answers.removeFirst()
                if answer == wanted { return }
                if case .failed(let error) = answer { throw Self.meaning(of: error) }
            }
            guard ContinuousClock.now < deadline else {
                throw KafkaError(code: .timedOut, message: "the cluster does not answer for a transaction")
            }
            self.serve(atMost: .milliseconds(200))
        }
    }

    /// Throws the first error of the transaction, if there was one.
    private func check() throws {
        if let failure { throw Self.meaning(of: failure) }
    }

    /// Returns `TakenOver` for an error that says that the broker has fenced this producer, and the error
    /// itself otherwise.
    private static func meaning(of error: KafkaError) -> any Error {
        error.isFencing ? TakenOver() : error
    }
}
