package import Kafka
package import Records

/// The engine's view of Kafka: a member of a consumer group and a producer, on the engine's thread.
///
/// Only `committed` and `partitionCount` wait for the cluster. A simulated broker conforms as well as the
/// real one, so the engine that ships is the engine that is tested.
package protocol Broker: AnyObject {
    associatedtype Source: RecordSource

    /// Hands over every event since the last call, in order.
    func serve(_ tell: (BrokerEvent) -> Void)

    /// Returns what the group has committed for these partitions. Waits for the cluster.
    func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition]

    /// Returns how many partitions these topics have now, all together. Waits for the cluster.
    func partitionCount(of topics: [String]) throws(KafkaError) -> Int

    /// Accepts an assignment. One source comes back for each position. Waits for the cluster if a position has no
    /// offset.
    func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [Source]

    /// Gives up every partition.
    func unassign() throws(KafkaError)

    /// Sends a commit. Its result arrives as a `committed` event with this id.
    func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError)

    /// Queues a record. Exactly one `reported` event with this id follows, unless this throws.
    func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError)

    /// Makes the producer ready for transactions, and begins the first. If it was ready before, a new
    /// producer is made under the same name, and the cluster decides whatever transaction the old one had
    /// left open. A `transaction` event follows.
    func openTransactions() throws(KafkaError)

    /// Commits the records that were sent since the transaction began, and these positions with them, all or
    /// nothing. Every record must have been reported. A `transaction` event follows.
    func commitTransaction(_ positions: [CommittedPosition])

    /// Makes the broker drop the records that were sent since the transaction began. A `transaction` event
    /// follows, and no report of a record of that transaction after it.
    func abortTransaction()

    /// Begins to leave the group. A last `revoked` event may follow.
    func leave() throws(KafkaError)

    /// Whether this member has left the group.
    var hasLeft: Bool { get }
}

/// The records of one assigned partition.
package protocol RecordSource: AnyObject {
    var partition: TopicPartition { get }

    /// Whether a read may find something. False as long as a read would certainly find nothing.
    var hasArrivals: Bool { get }

    /// The offset that the next record will have, as of the last `endOfPartition`. Before it there can be
    /// offsets without a record, such as transaction markers.
    var end: Int64 { get }

    /// The offsets between which the log of the partition lies, as far as is known without waiting; nil if
    /// nothing is known.
    var logBounds: LogBounds? { get }

    /// Hands over at most this many records that have arrived, in the order of their offsets.
    ///
    /// - Parameter failed: Called with what is wrong, or with `endOfPartition`, which is no fault: then each
    ///   record before `end` has been handed over.
    /// - Returns: The number of records that were handed over.
    func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int
}

/// An event of the consumer or of the producer.
package enum BrokerEvent: Sendable {
    /// The group gives this member partitions: answer with `assign`.
    case assigned([TopicPartition])
    /// The group takes partitions back: answer with `unassign`. If they are lost, another member already has
    /// them, and nothing may be committed for them.
    case revoked([TopicPartition], isLost: Bool)
    /// The result of the commit with this id; without an error, it has succeeded.
    case committed(id: UInt64, KafkaError?)
    /// The delivery report of the record with this id; without an error, the broker has acknowledged it.
    case reported(id: UInt64, KafkaError?)
    /// The result of the last request about a transaction.
    case transaction(Transactions.Answer)
    /// The producer is of no use any more. The consumer is not concerned.
    case producerFailed(KafkaError)
    /// Something is wrong. Unless the error is fatal, librdkafka is already trying again.
    case failed(KafkaError)
    /// A line that librdkafka has logged.
    case logged(ClientLog)
}
