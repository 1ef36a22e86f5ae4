package import Kafka
package import Records

/// A consumer and a producer, together as one broker.
package final class KafkaBroker: Broker {
    /// The consumer. It stays the same for the life of the broker.
    package let consumer: Consumer
    /// The producer, with transactions once `openTransactions` was called.
    package let producer: TransactionalProducer
    private let answerLimit: Duration
    private let consumerProperties: [String: String]
    private let producerProperties: [String: String]
    /// The standing in the group that a transaction shows with its offsets: this member's, as it was when it
    /// got its partitions.
    private var standing: GroupStanding?
    /// Whether the group has ever accepted this member.
    private var hasJoined = false
    /// The offsets at which reading ends; nil in a run without such a bound.
    package var bounds: ReadBounds?
    /// The readers of this member's partitions that have a bound.
    private var boundedReaders: [PartitionReader] = []

    /// - Parameters:
    ///   - consumer: librdkafka's properties for the consumer.
    ///   - producer: librdkafka's properties for the producer, and for each that takes its place.
    ///   - answerLimit: The longest wait for the cluster, where the engine has to wait.
    /// - Throws: The error of librdkafka if a client cannot be made.
    private init(
        consumer: [String: String],
        producer: [String: String],
        answerLimit: Duration = .seconds(5)
    ) throws(KafkaError) {
        self.consumer = try Consumer(consumer)
        self.consumerProperties = consumer
        self.producerProperties = producer
        self.producer = try TransactionalProducer(producer)
        self.answerLimit = answerLimit
    }

    /// Connects a member of a group and its producer, and runs a body with them.
    ///
    /// The body's end is taken for the end of the process, or nearly so: the consumer is abandoned, because to
    /// destroy the client could only make the process wait, without a bound.
    ///
    /// - Parameters:
    ///   - consumer: librdkafka's properties for the consumer.
    ///   - producer: librdkafka's properties for the producer, and for each that takes its place.
    /// - Throws: The error of librdkafka if a client cannot be made, or the error of the body.
    package static func connected<Result>(
        consumer: [String: String],
        producer: [String: String],
        _ body: (KafkaBroker) throws -> Result
    ) throws -> Result {
        let broker = try KafkaBroker(consumer: consumer, producer: producer)
        defer { broker.consumer.abandon() }
        return try body(broker)
    }

    package func serve(_ tell: (BrokerEvent) -> Void) {
        self.producer.serve { event in
            switch event {
            case .reported(let id, let error): tell(.reported(id: id, error))
            case .answered(.failed(let error)):
                tell(.transaction(.failed(error.asToldToProducer(self.producerProperties))))
            case .answered(let answer): tell(.transaction(answer))
            case .lost(let error): tell(.producerFailed(error))
            case .failed(let error): tell(.failed(self.hasJoined ? error.withRemedy : error))
            case .logged(let log): tell(.logged(log))
            }
        }
        self.consumer.serve { event in
            switch event {
            case .assigned(let partitions):
                self.hasJoined = true
                tell(.assigned(partitions))
            case .revoked(let partitions, let isLost): tell(.revoked(partitions, isLost: isLost))
            case .committed(let id, let error): tell(.committed(id: id, error))
            case .failed(let error):
                tell(.failed(error.asToldToMember(hasJoined: self.hasJoined, self.consumerProperties)))
            case .logged(let log): tell(.logged(log))
            }
        }
    }

    /// Returns what the group has committed. Waits for the cluster, at most `answerLimit`.
    package func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition] {
        try self.consumer.committed(partitions, atMost: self.answerLimit)
    }

    /// Returns how many partitions these topics have, all together. Waits for the cluster, at most
    /// `answerLimit`.
    package func partitionCount(of topics: [String]) throws(KafkaError) -> Int {
        let counts = try self.consumer.metadata(atMost: self.answerLimit).partitionCounts
        return topics.reduce(0) { $0 + (counts[$1] ?? 0) }
    }

    package func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [PartitionReader] {
        self.standing = self.consumer.standing
        let readers = try self.consumer.assign(positions, atMost: self.answerLimit)
        if let bounds { self.boundedReaders = bounds.limit(readers) }
        return readers
    }

    /// Whether this member has partitions, or was told that none is left for it, and has read each up to its bound.
    package var isReadUpToBounds: Bool {
        self.bounds != nil && self.standing != nil && self.boundedReaders.allSatisfy(\.isAtBound)
    }

    package func unassign() throws(KafkaError) {
        self.standing = nil
        self.boundedReaders = []
        try self.consumer.unassign()
    }

    package func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError) {
        try self.consumer.commit(positions, id: id)
    }

    package func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError) {
        try self.producer.send(record, id: id)
    }

    /// Begins transactions. If there is a transactional producer already, it is retired, and a new one takes
    /// its place.
    package func openTransactions() throws(KafkaError) { try self.producer.open() }

    package func commitTransaction(_ positions: [CommittedPosition]) {
        self.producer.commit(positions, of: self.standing)
    }

    package func abortTransaction() { self.producer.abort() }

    package func leave() throws(KafkaError) { try self.consumer.close() }

    package var hasLeft: Bool { self.consumer.isClosed }
}

extension PartitionReader: RecordSource {}
