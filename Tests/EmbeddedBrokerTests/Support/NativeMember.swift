import CRdKafka
import EmbeddedBroker

/// A member of a group that does as librdkafka does by itself: eager, and no answer of ours to a rebalance.
@safe final class NativeMember: NativeClient {
    struct Record {
        var partition: Int32
        var offset: Int64
        var value: String
    }

    private(set) var records: [Record] = []
    private(set) var failures: [String] = []

    init(_ broker: EmbeddedBroker, group: String, topic: String, _ more: [String: String] = [:]) throws {
        let properties = [
            "bootstrap.servers": broker.address, "group.id": group, "auto.offset.reset": "earliest",
            "enable.auto.commit": "false", "session.timeout.ms": "6000", "heartbeat.interval.ms": "100",
            "fetch.wait.max.ms": "10",
        ]
        try super.init(RD_KAFKA_CONSUMER, properties.merging(more) { $1 })
        try NativeError.check(unsafe rd_kafka_poll_set_consumer(self.handle))
        let topics = NativePartitions([(topic, RD_KAFKA_PARTITION_UA, 0, "")])
        try NativeError.check(unsafe rd_kafka_subscribe(self.handle, topics.list))
    }

    var partitions: [Int32] {
        var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
        guard unsafe rd_kafka_assignment(self.handle, &list) == RD_KAFKA_RESP_ERR_NO_ERROR,
            let list = unsafe list
        else { return [] }
        return unsafe NativePartitions(owning: list).partitions.sorted()
    }

    func poll() {
        guard let message = unsafe rd_kafka_consumer_poll(self.handle, 20) else { return }
        defer { unsafe rd_kafka_message_destroy(message) }
        if unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
            let value = unsafe UnsafeRawBufferPointer(
                start: message.pointee.payload,
                count: message.pointee.len
            )
            let text = unsafe String(decoding: value, as: UTF8.self)
            self.records.append(
                unsafe Record(
                    partition: message.pointee.partition,
                    offset: message.pointee.offset,
                    value: text
                )
            )
        } else {
            self.failures.append(NativeError(unsafe message.pointee.err).name)
        }
    }

    /// Hands over what was read since the last time.
    func takeRecords() -> [Record] {
        defer { self.records = [] }
        return self.records
    }

    /// Commits and waits for the answer.
    func commit(_ offsets: NativePartitions) throws {
        try NativeError.check(unsafe rd_kafka_commit(self.handle, offsets.list, 0))
    }

    func metadata() throws -> GroupMetadata {
        guard let metadata = unsafe rd_kafka_consumer_group_metadata(self.handle) else {
            throw NativeError(rd_kafka_last_error())
        }
        return unsafe GroupMetadata(owning: metadata)
    }

    var memberID: String {
        guard let id = unsafe rd_kafka_memberid(self.handle) else { return "" }
        defer { unsafe rd_kafka_mem_free(self.handle, id) }
        return unsafe String(cString: id)
    }

    /// Leaves the group, unless it is a static member.
    func close() throws { try NativeError.check(unsafe rd_kafka_consumer_close(self.handle)) }
}

/// Has members poll, in turn, until something holds.
///
/// - Returns: whether it held before the time was up.
func poll(
    _ members: NativeMember...,
    atMost longest: Duration = .seconds(30),
    until holds: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + longest
    while try !holds() {
        guard ContinuousClock.now < deadline else { return false }
        for member in members { member.poll() }
    }
    return true
}
