import Kafka
package import Records
import ServiceKit
import WireFormats

// The effects of publishers, retention, operators and failing brokers on the topics that the group consumes.
extension SimulatedCluster {
    /// The records of the input topic, partition by partition.
    package var inputs: [InboundRecord] { self.logs.inputs }

    /// Publishes a record to the input topic.
    ///
    /// - Parameters:
    ///   - timestamp: in milliseconds since 1970; nil for the brokers' present time.
    ///   - gap: the number of offsets to leave without a record before it.
    /// - Returns: the offset of the record.
    @discardableResult
    package func append(
        _ value: String?,
        key: String? = nil,
        to partition: Int32 = 0,
        timestamp: Int64? = nil,
        headers: [RecordHeader] = [],
        skipping gap: Int64 = 0
    ) -> Int64 {
        self.append(
            InboundRecord(
                topic: Self.topic,
                partition: partition,
                offset: self.end(of: partition) + gap,
                timestamp: timestamp ?? self.clock.now.wall,
                key: key.map { Array($0.utf8) },
                value: value.map { Array($0.utf8) },
                headers: headers
            )
        )
    }

    @discardableResult
    func append(_ record: InboundRecord) -> Int64 {
        self.logs.append(record)
        self.tellMembers(of: TopicPartition(topic: record.topic, partition: record.partition))
        return record.offset
    }

    /// Appends an offset without a record, as Kafka's transaction markers are.
    package func appendMarker(to partition: Int32 = 0) {
        self.moveEnd(of: Self.input(partition), to: self.end(of: partition) + 1)
    }

    /// Moves the end of a partition past offsets without records, such as transaction markers, so that
    /// readers can pass them.
    func moveEnd(of partition: TopicPartition, to end: Int64) {
        guard let log = self.logs[partition], log.end < end else { return }
        self.logs[partition]?.end = end
        self.tellMembers(of: partition)
    }

    private func tellMembers(of partition: TopicPartition) {
        for member in self.members { member.recordsArrived(in: partition) }
    }

    /// Deletes the input topic and makes it again without records. The group's committed positions stay.
    package func makeAnew() {
        self.logs.makeInputAnew()
        self.visible.inputMadeAnew()
    }

    /// Deletes the records of a partition of the input before an offset, as retention does.
    package func removeRecords(before offset: Int64, in partition: Int32 = 0) {
        self.logs.removeInputs(before: offset, in: partition)
    }

    /// Deletes one record of a partition of the input, as compaction does.
    package func removeRecord(at offset: Int64, in partition: Int32 = 0) {
        self.logs.removeInput(at: offset, in: partition)
    }

    /// Deletes the newest records of a partition of the input, from offset `end` on, as an unclean leader
    /// election does.
    package func cutOff(_ partition: Int32 = 0, at end: Int64) {
        let offsets = self.logs.cutOffInput(partition, at: end)
        self.visible.forget(offsets.map { RecordName(partition: partition, offset: $0) })
    }

    /// Adds a partition to the input topic, as an operator does. The group then assigns all partitions anew.
    package func grow() {
        self.logs.growInput()
        self.rebalance()
    }

    /// Returns the offset that the next record of a partition of the input gets.
    func end(of partition: Int32) -> Int64 { self.logs[input: partition]?.end ?? 0 }

    /// Returns the name under which the record was first published; nil if it is a copy without a readable
    /// ticket.
    func originName(of record: InboundRecord) -> RecordName? {
        guard record.topic != Self.topic else {
            return RecordName(partition: record.partition, offset: record.offset)
        }
        return RetryTicket(record.headers).map { RecordName(partition: $0.partition, offset: $0.offset) }
    }
}
