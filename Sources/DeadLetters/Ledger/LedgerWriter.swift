import EventThread
import Kafka
import Records

/// Writes the ledger, and what belongs to its entries, in transactions.
///
/// Whoever opens one ends whatever another writer of the same ledger has open: two engineers cannot replay at once, and
/// the second knows everything that the first has done.
final class LedgerWriter {
    /// Another writer of this ledger has begun: nothing more can be written here.
    struct TakenOver: Error, CustomStringConvertible {
        var description: String { "somebody else has begun to replay or discard: this one is over" }
    }

    /// The cluster did not say in time what became of a commit: it has happened, or it has not.
    struct Undecided: Error, CustomStringConvertible {
        var cause: KafkaError

        var description: String {
            "whether the last of it was done is not known (\(self.cause)): the same command again finds out"
        }
    }

    private let producer: Producer
    private let transactions: Transactions
    private var wait: Wait
    private var unreported: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var failure: KafkaError?
    private let patience: Duration

    init(_ settings: DeadLetterSettings) throws {
        let milliseconds = Int64(settings.transactionTimeout / .milliseconds(1))
        var properties = settings.properties
        properties["transactional.id"] = "flotilla-\(settings.ledgerTopic)"
        properties["transaction.timeout.ms"] = String(milliseconds)
        properties["message.timeout.ms"] = String(milliseconds * 2 / 3)
        properties["linger.ms"] = "5"
        // What is refused is refused by the broker, by the size that it is set to.
        properties["message.max.bytes"] = properties["message.max.bytes"] ?? "100000000"
        self.producer = try Producer(properties)
        self.transactions = Transactions(of: self.producer)
        self.wait = Wait(on: [self.producer.descriptor])
        self.patience = settings.patience + settings.transactionTimeout
    }

    deinit { self.producer.retire() }

    /// Ends what other writers have open, and begins a transaction. Waits for the cluster.
    func open() throws {
        self.transactions.open()
        try self.expect(.opened)
    }

    /// Adds a record to the transaction.
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

    /// Makes the transaction's records be, all of them, and begins the next. Waits for the cluster.
    ///
    /// - Throws: the first error of a record; then none of them is, once `abort` has been called. `Undecided` if it is
    ///   not known whether they are: then this writer is of no use any more, and only the ledger can tell, once another
    ///   writer is open.
    func commit() throws {
        let deadline = ContinuousClock.now + self.patience
        while !self.unreported.isEmpty {
            guard ContinuousClock.now < deadline else {
                throw KafkaError(code: .timedOut, message: "no acknowledgement")
            }
            self.serve(atMost: .milliseconds(200))
        }
        try self.check()
        self.transactions.commit()
        do {
            try self.expect(.committed)
        } catch let error as KafkaError {
            throw Undecided(cause: error)
        }
    }

    /// Makes the transaction's records never have been, and begins the next. Waits for the cluster.
    func abort() throws {
        self.transactions.abort()
        try self.expect(.aborted)
        self.failure = nil
        self.unreported = []
    }

    /// Waits at most this long, and takes note of what has happened.
    func serve(atMost longest: Duration) {
        self.wait(atMost: longest)
        self.producer.serve { event in
            switch event {
            case .reported(let id, let error):
                // What an abort has swept away may report later, and is no failure of what was sent since.
                guard self.unreported.remove(id) != nil, let error else { return }
                self.failure = self.failure ?? error
            case .failed(let error) where error.isFatal: self.failure = error
            case .failed, .logged: break
            }
        }
    }

    private func expect(_ wanted: Transactions.Answer) throws {
        let deadline = ContinuousClock.now + self.patience
        while true {
            for answer in self.transactions.takeAnswers() {
                if answer == wanted { return }
                if case .failed(let error) = answer { throw Self.meaning(of: error) }
            }
            guard ContinuousClock.now < deadline else {
                throw KafkaError(code: .timedOut, message: "the cluster does not answer for a transaction")
            }
            self.serve(atMost: .milliseconds(200))
        }
    }

    private func check() throws {
        if let failure { throw Self.meaning(of: failure) }
    }

    private static func meaning(of error: KafkaError) -> any Error {
        error.isFencing ? TakenOver() : error
    }
}
