internal import CRdKafka
internal import Dispatch
internal import EventThread
internal import Synchronization

/// Opens, commits and aborts the transactions of one producer, one after the other.
///
/// librdkafka's calls for this wait for the broker, so they run on a dispatch queue of their own. Their
/// answers arrive on the producer's pipe like its other events. The owner must go on serving the producer
/// meanwhile, because these calls wait until the delivery reports have been taken. The owner may have at most
/// one request under way at any time.
@safe package final class Transactions {
    /// The result of the request that was under way.
    package enum Answer: Hashable, Sendable {
        /// The cluster knows the producer by its `transactional.id`, any transaction that a predecessor left
        /// open has been ended, and a transaction has begun.
        case opened
        /// The transaction was committed, and the next one has begun.
        case committed
        /// The transaction was aborted, and the next one has begun.
        case aborted
        /// The request failed. The error says whether the transaction has to be aborted.
        case failed(KafkaError)
    }

    private let client: Client
    private let desk: Desk
    private let work = DispatchQueue(label: "transactions")

    /// Keeps the answers until the owner takes them. The dispatch queue puts them in, and the owner's thread
    /// takes them out.
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

    /// librdkafka's own time limit, the rest of `transaction.timeout.ms`. With a shorter limit the states of
    /// librdkafka and of the broker can differ, as librdkafka's documentation says.
    private static let asLongAsItLasts: Int32 = -1

    /// Prepares the transactions of a producer that has a `transactional.id`. Nothing is sent before `open`.
    package init(of producer: Producer) {
        self.client = producer.client
        self.desk = Desk(producer.pipe.pipe)
    }

    /// Registers the producer under its `transactional.id`, which ends any transaction that an earlier
    /// producer of that id left open. Then begins a transaction.
    package func open() {
        self.request(.opened) { client throws(KafkaError) in
            try unsafe KafkaError.check(
                consuming: rd_kafka_init_transactions(client.handle, Self.asLongAsItLasts)
            )
            try unsafe KafkaError.check(consuming: rd_kafka_begin_transaction(client.handle))
        }
    }

    /// Commits the records that were sent since the transaction began, and begins the next one. Every record
    /// must have its delivery report before.
    package func commit() {
        self.request(.committed) { client throws(KafkaError) in
            try Self.commit(client)
        }
    }

    /// Commits the records of the transaction together with these positions of the group, and begins the next
    /// one.
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

    /// Aborts the transaction, so that readers of committed records never see its records, and begins the
    /// next one. Records without a delivery report get one that says so.
    package func abort() {
        self.request(.aborted) { client throws(KafkaError) in
            try unsafe KafkaError.check(
                consuming: rd_kafka_abort_transaction(client.handle, Self.asLongAsItLasts)
            )
            try unsafe KafkaError.check(consuming: rd_kafka_begin_transaction(client.handle))
        }
    }

    /// Returns the answers since the last call.
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
