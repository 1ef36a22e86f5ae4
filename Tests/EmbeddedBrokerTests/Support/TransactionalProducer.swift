import CRdKafka
import EmbeddedBroker

/// A producer with a transactional id. Every call waits, ten seconds at most.
@safe final class TransactionalProducer: NativeClient {
    private static let patience: Int32 = 10_000

    init(_ broker: EmbeddedBroker, id: String, _ more: [String: String] = [:]) throws {
        let properties = ["bootstrap.servers": broker.address, "transactional.id": id, "linger.ms": "0"]
        try super.init(RD_KAFKA_PRODUCER, properties.merging(more) { $1 })
    }

    func initialize() throws {
        try unsafe NativeError.check(consuming: rd_kafka_init_transactions(self.handle, Self.patience))
    }

    func begin() throws { try unsafe NativeError.check(consuming: rd_kafka_begin_transaction(self.handle)) }

    func commit() throws {
        try unsafe NativeError.check(consuming: rd_kafka_commit_transaction(self.handle, Self.patience))
    }

    func abort() throws {
        try unsafe NativeError.check(consuming: rd_kafka_abort_transaction(self.handle, Self.patience))
    }

    func send(_ topic: String, _ partition: Int32, _ value: String) throws {
        guard let native = unsafe rd_kafka_topic_new(self.handle, topic, nil) else {
            throw NativeError(rd_kafka_last_error())
        }
        defer { unsafe rd_kafka_topic_destroy(native) }
        let bytes = Array(value.utf8)
        try NativeError.check(
            unsafe bytes.withUnsafeBytes {
                unsafe crdkafka_produce(
                    self.handle,
                    native,
                    partition,
                    nil,
                    0,
                    $0.baseAddress,
                    $0.count,
                    nil,
                    0,
                    nil
                )
            }
        )
    }

    /// Waits until what was sent is in the log.
    func flush() throws { try NativeError.check(unsafe rd_kafka_flush(self.handle, Self.patience)) }

    func sendOffsets(_ offsets: NativePartitions, of group: GroupMetadata) throws {
        try unsafe NativeError.check(
            consuming: rd_kafka_send_offsets_to_transaction(
                self.handle,
                offsets.list,
                group.metadata,
                Self.patience
            )
        )
    }
}

/// Which member of which generation commits.
@safe final class GroupMetadata {
    let metadata: OpaquePointer

    init(owning metadata: OpaquePointer) { unsafe self.metadata = metadata }

    /// A group that nobody is a member of.
    init(group: String) { unsafe self.metadata = rd_kafka_consumer_group_metadata_new(group) }

    init(group: String, generation: Int32, member: String) {
        unsafe self.metadata = rd_kafka_consumer_group_metadata_new_with_genid(group, generation, member, nil)
    }

    deinit { unsafe rd_kafka_consumer_group_metadata_destroy(self.metadata) }
}
