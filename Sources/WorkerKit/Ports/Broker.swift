package import Kafka
package import Records

/// What the engine needs of Kafka: a member of a consumer group and a producer, on the engine's thread.
///
/// Nothing here waits but `committed` and `partitionCount`. A simulated broker conforms as well as the real one, so the engine that
/// ships is the engine that is tested.
package protocol Broker: AnyObject {
    associatedtype Source: RecordSource

    /// Hands over everything that happened since the last call, in order.
    func serve(_ tell: (BrokerEvent) -> Void)

    /// What the group has committed for these partitions.
    func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition]

    /// How many partitions these topics have now, all together. Waits for the cluster.
    func partitionCount(of topics: [String]) throws(KafkaError) -> Int

    /// Accepts an assignment; one source comes back for each position.
    func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [Source]

    /// Gives up every partition.
    func unassign() throws(KafkaError)

    /// Sends a commit; what came of it arrives as an event with this id.
    func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError)

    /// Queues a record; exactly one `reported` event with this id follows, unless this throws.
    func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError)

    /// Makes the producer ready for transactions, and begins the first. If it was ready before, it is made anew
    /// under the same name, and whatever transaction it had left open is decided. A `transaction` event follows.
    func openTransactions() throws(KafkaError)

    /// Commits what was sent since the transaction began and these positions with it, all or nothing. Every record
    /// must have been reported. A `transaction` event follows.
    func commitTransaction(_ positions: [CommittedPosition])

    /// Has the broker forget what was sent since the transaction began. A `transaction` event follows, and no report
    /// of a record of that transaction after it.
    func abortTransaction()

    /// Begins to leave the group: a last `revoked` may follow.
    func leave() throws(KafkaError)

    /// Whether the group has been left.
    var hasLeft: Bool { get }
}

/// The records of one assigned partition.
package protocol RecordSource: AnyObject {
    var partition: TopicPartition { get }

    /// False as long as a read would certainly find nothing.
    var hasArrivals: Bool { get }

    /// Where the next record will stand, when `endOfPartition` was last told of. Before it there may be offsets without
    /// a record, such as the marks that transactions end with.
    var end: Int64 { get }

    /// Hands over at most so many records that have arrived, in the order of their offsets.
    ///
    /// - Parameter failed: told what is wrong, and `endOfPartition` where nothing is: each record before `end` has been
    ///   handed over by then.
    /// - Returns: how many there were.
    func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int
}

/// What a broker has to tell, in either direction.
package enum BrokerEvent: Sendable {
    case assigned([TopicPartition])
    case revoked([TopicPartition], isLost: Bool)
    case committed(id: UInt64, KafkaError?)
    case reported(id: UInt64, KafkaError?)
    /// What came of the last request about a transaction.
    case transaction(Transactions.Answer)
    /// The producer is of no use any more; the consumer is another matter.
    case producerFailed(KafkaError)
    case failed(KafkaError)
    case logged(ClientLog)
}
