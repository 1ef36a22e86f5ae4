internal import CRdKafka
internal import Dispatch
internal import EventThread
internal import Synchronization

/// The transactions of one producer, one after the other.
///
/// librdkafka's calls for this wait for the broker, so they run on a queue of their own, and what came of them
/// arrives on the producer's pipe like everything else. The owner keeps serving the producer meanwhile: librdkafka
/// waits in them for delivery reports to be taken. At most one of these is under way at any time.
@safe package final class Transactions {
    /// What came of the request that was under way.
    package enum Answer: Hashable, Sendable {
        /// The producer is known to the cluster, whatever its predecessor left open is decided, and a transaction
        /// has begun.
        case opened
        /// The transaction was committed, and the next has begun.
        case committed
        /// The transaction was aborted, and the next has begun.
        case aborted
        case failed(KafkaError)
    }

    private let client: Client
    private let desk: Desk
    private let work = DispatchQueue(label: "transactions")

    /// Where answers lie until the owner takes them.
    private final class Desk: Sendable {
        private let answers = Mutex<[Answer]>([])
        private let pipe: WakePipe

        init(_ pipe: WakePipe) { self.pipe = pipe }

        func put(_ answer: Answer) {
            self.answers.withLock { $0.append(answer) }
            self.pipe.write(NotificationPipe.wakeTag)
        }

        func take() -> [Answer] {
            self.answers.withLock { answers in
                defer { answers = [] }
                return answers
            }
        }
    }

    /// librdkafka's own bound, what is left of `transaction.timeout.ms`. With a shorter one its state and the
    /// broker's can part (so its documentation says).
    private static let asLongAsItLasts: Int32 = -1

    package init(of producer: Producer) {
        self.client = producer.client
        self.desk = Desk(producer.pipe.pipe)
    }

    /// Makes the producer known under its `transactional.id`, which ends whatever transaction an earlier producer of
    /// that id left open, and begins a transaction.
    package func open() {
        self.request(.opened) { client throws(KafkaError) in
            try unsafe KafkaError.check(
                consuming: rd_kafka_init_transactions(client.handle, Self.asLongAsItLasts)
            )
            try unsafe KafkaError.check(consuming: rd_kafka_begin_transaction(client.handle))
        }
    }

    /// Commits what was sent since the transaction began; then begins the next. Every record must have its report.
    package func commit() {
        self.request(.committed) { client throws(KafkaError) in
            try Self.commit(client)
        }
    }

    /// As `commit()`, and these positions of the group with it.
    package func commit(_ positions: [CommittedPosition], of standing: GroupStanding) {
        self.request(.committed) { client throws(KafkaError) in
            let list = PartitionList(positions)
            try unsafe KafkaError.check(
                consuming: rd_kafka_send_offsets_to_transaction(
                    client.handle,
                    list.list,
                    standing.metadata,
                    Self.asLongAsItLasts
                )
            )
            try Self.commit(client)
        }
    }

    private static func commit(_ client: Client) throws(KafkaError) {
        try unsafe KafkaError.check(
            consuming: rd_kafka_commit_transaction(client.handle, Self.asLongAsItLasts)
        )
        try unsafe KafkaError.check(consuming: rd_kafka_begin_transaction(client.handle))
    }

    /// Has the broker forget what was sent since the transaction began; then begins the next. Records without a
    /// report get one that says so.
    package func abort() {
        self.request(.aborted) { client throws(KafkaError) in
            try unsafe KafkaError.check(
                consuming: rd_kafka_abort_transaction(client.handle, Self.asLongAsItLasts)
            )
            try unsafe KafkaError.check(consuming: rd_kafka_begin_transaction(client.handle))
        }
    }

    /// The answers since the last call.
    package func takeAnswers() -> [Answer] { self.desk.take() }

    private func request(
        _ success: Answer,
        _ body: @escaping @Sendable (Client) throws(KafkaError) -> Void
    ) {
        self.work.async { [client = self.client, desk = self.desk] in
            do throws(KafkaError) {
                try body(client)
                desk.put(success)
            } catch {
                desk.put(.failed(error))
            }
        }
    }
}
