package import Kafka
package import Records

/// A producer that can be made anew under the same properties, and its transactions.
///
/// Without `open` it is a producer without transactions. A transactional producer comes to its end when the
/// broker fences it or does not answer for it in time, while its process is well. So `open` makes another one
/// with the same `transactional.id`, which has the cluster decide the transaction that the old one left open.
/// Belongs to one thread.
package final class TransactionalProducer {
    /// An event of the producer or of its transactions.
    package enum Event: Hashable, Sendable {
        /// The delivery report of a record. Without an error, the broker has acknowledged it.
        case reported(id: UInt64, KafkaError?)
        /// The answer to the last request about a transaction. Every report of the transaction came before.
        case answered(Transactions.Answer)
        /// The producer is of no use any more until `open` makes it anew.
        case lost(KafkaError)
        /// Something is wrong. Unless the error is fatal, librdkafka is already trying again.
        case failed(KafkaError)
        /// A line of librdkafka's log.
        case logged(ClientLog)
    }

    private let properties: [String: String]
    private var producer: Producer
    private var transactions: Transactions?
    /// Answers to requests that needed no broker.
    private var ownAnswers: [Transactions.Answer] = []

    /// Makes the first producer. Nothing is sent before `open` or `send`.
    ///
    /// - Parameter properties: librdkafka's own, with a `transactional.id` if `open` is to be called.
    /// - Throws: The error of librdkafka if the producer cannot be made.
    package init(_ properties: [String: String]) throws(KafkaError) {
        self.properties = properties
        self.producer = try Producer(properties)
    }

    /// The descriptor to wait on. It is another one after each `open` but the first.
    package var descriptor: Int32 { self.producer.descriptor }

    /// Passes on the events since the last call.
    package func serve(_ tell: (Event) -> Void) {
        self.serve(tell) { self.serveProducer(tell) }
    }

    /// Does the work of `serve` for a caller that needs the position of each record: a receipt comes in place of
    /// each `reported` event, and no `logged` event comes.
    package func serve(receipts: (DeliveryReceipt) -> Void, _ tell: (Event) -> Void) {
        self.serve(tell) { self.producer.serve(receipts: receipts) { tell(self.event(of: $0)) } }
    }

    private func serve(_ tell: (Event) -> Void, serveProducer: () -> Void) {
        serveProducer()
        let answers = (self.transactions?.takeAnswers() ?? []) + self.ownAnswers
        guard !answers.isEmpty else { return }
        self.ownAnswers = []
        // An abort leaves delivery reports behind, and they have to come before its answer.
        serveProducer()
        for answer in answers { tell(.answered(answer)) }
    }

    private func serveProducer(_ tell: (Event) -> Void) {
        self.producer.serve { event in
            switch event {
            case .reported(let id, let error): tell(.reported(id: id, error))
            case .failed(let error): tell(self.event(of: error))
            case .logged(let log): tell(.logged(log))
            }
        }
    }

    /// A fatal error of a transactional producer ends only that producer, because a new one can be made.
    private func event(of error: KafkaError) -> Event {
        error.isFatal && self.transactions != nil ? .lost(error) : .failed(error)
    }

    /// Queues a record. Exactly one `reported` event with this id follows, unless this throws.
    package func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError) {
        try self.producer.send(record, id: id)
    }

    /// Registers the producer under its `transactional.id`, which fences every other one and ends the
    /// transaction that it left open, and begins a transaction. If this was done before, a new producer is
    /// made, and the old one is retired. An `answered` event follows.
    ///
    /// - Throws: The error of librdkafka if the new producer cannot be made.
    package func open() throws(KafkaError) {
        if self.transactions != nil {
            self.producer.retire()
            self.producer = try Producer(self.properties)
        }
        let transactions = Transactions(of: self.producer)
        self.transactions = transactions
        transactions.open()
    }

    /// Commits the transaction and begins the next. Every record must have been reported. An `answered` event
    /// follows.
    package func commit() { self.transactions?.commit() }

    /// Commits the transaction together with these positions of a group, and begins the next. Every record
    /// must have been reported. An `answered` event follows.
    ///
    /// - Parameter standing: The member's standing when it got its partitions; nil if it has none now, and
    ///   then the answer says so.
    package func commit(_ positions: [CommittedPosition], of standing: GroupStanding?) {
        guard let standing else {
            let error = KafkaError(
                code: .unknownMember,
                message: "not a member of the group",
                requiresAbort: true
            )
            return self.ownAnswers.append(.failed(error))
        }
        self.transactions?.commit(positions, of: standing)
    }

    /// Aborts the transaction and begins the next. An `answered` event follows.
    package func abort() { self.transactions?.abort() }

    /// Lets the producer be closed on another thread, as `Producer.retire()` does.
    package func retire() { self.producer.retire() }
}

extension Backoff {
    /// The wait before a transactional producer that has failed is made anew.
    package static var ofTransactions: Backoff { Backoff(base: .milliseconds(100), longest: .seconds(10)) }
}
