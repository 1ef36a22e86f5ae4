import Kafka
package import Records
import ServiceKit
import WireFormats
import WorkerKit

// The records that engines write, as readers see them.
extension SimulatedCluster {
    /// All records that readers can see in any output topic, in the order in which they became visible.
    package var published: [OutboundRecord] { self.visible.published }
    /// The outcomes of the input's records since the topic was last made again.
    package var outcomes: [RecordName: [SimulatedOutcome]] { self.visible.outcomes }
    /// The dead letters that readers can see, by their id.
    package var letters: [String: OutboundRecord] { self.visible.letters }
    /// The records that readers of the parking topic see as parked.
    package var tickets: Set<RecordName> { self.visible.tickets }
    /// The records without an outcome that the group was made to skip.
    package var skipped: Set<RecordName> { self.visible.skipped }
    /// The number of records that readers of the channels' topics can see, by the input record that they come
    /// from.
    package var channelCounts: [String: Int] { self.visible.channelCounts }

    /// Makes a record visible to every reader, and checks that it may be visible.
    func write(_ record: OutboundRecord) {
        self.visible.publish(record)
        if self.streams?.names.contains(record.topic) == true { return }
        if record.topic.hasSuffix(".dead-letter") {
            self.visible.addLetter(record)
        } else if self.retryTopics.contains(record.topic) {
            self.writeToRetryTopic(record)
        } else if record.topic == Self.parkingTopic, self.parking != nil {
            self.writeToParkingTopic(record)
        } else if self.channelTopics.contains(record.topic) {
            self.visible.addChannelRecord(record)
        } else if let outcome = SimulatedOutcome(record) {
            self.judge(outcome)
            self.visible.add(outcome)
            self.outcomeSeen(outcome)
            self.judgeRepetition(of: outcome)
        } else if self.streams != nil, record.topic == Self.topic {
            self.append(
                record.value.map { String(decoding: $0, as: UTF8.self) },
                key: record.key.map { String(decoding: $0, as: UTF8.self) },
                to: record.partition ?? 0,
                headers: record.headers
            )
        } else {
            self.violations.append("somebody wrote to \(record.topic)")
        }
    }

    private func writeToParkingTopic(_ record: OutboundRecord) {
        let partition = record.partition ?? 0
        let place = PartitionMark(clusterID: self.id, Self.input(partition))
        let inbound = InboundRecord(
            topic: record.topic,
            partition: partition,
            offset: 0,
            key: record.key,
            value: record.value
        )
        switch ParkingTicket.line(inbound, at: place) {
        case .ticket(let ticket):
            self.visible.addTicket(RecordName(partition: partition, offset: ticket.offset))
        case .end(let offset):
            let name = RecordName(partition: partition, offset: offset)
            self.visible.removeTicket(name)
            self.judgeEndOfTicket(name)
        case .otherPlace, .unreadable: self.violations.append("a ticket that nobody can read: \(record)")
        }
    }

    private func writeToRetryTopic(_ record: OutboundRecord) {
        let partition = TopicPartition(topic: record.topic, partition: record.partition ?? 0)
        guard let log = self.logs[partition] else {
            return self.violations.append("there is no \(partition)")
        }
        if let ticket = RetryTicket(record.headers) {
            self.visible.addCopy(ticket, in: partition)
        } else {
            self.violations.append("a copy without a ticket in \(record.topic)")
        }
        self.append(
            InboundRecord(
                topic: record.topic,
                partition: partition.partition,
                offset: log.end,
                timestamp: self.clock.now.wall,
                key: record.key,
                value: record.value,
                headers: record.headers
            )
        )
    }

    /// Returns the newest outcome of a record; nil if it has none.
    package func outcome(_ offset: Int64, in partition: Int32 = 0) -> SimulatedOutcome? {
        self.outcomes[RecordName(partition: partition, offset: offset)]?.last
    }

    /// Returns the fate of the newest outcome of each record of a partition, in the order of the offsets; nil
    /// where a record has none.
    package func fates(in partition: Int32 = 0) -> [String?] {
        (self.logs[input: partition]?.records ?? []).map { self.outcome($0.offset, in: partition)?.fate }
    }

    /// Whether every record has its outcome and no record is parked.
    package var isEverythingSettled: Bool {
        self.outcomes.count + self.skipped.count == self.logs.inputCount && self.tickets.isEmpty
    }

    /// Whether the calls for a record share requests with others, as far as the judges know.
    func isJoined(_ name: RecordName) -> Bool {
        self.sharesRequests
            || self.logs[input: name.partition]?.record(at: name.offset)?.header(SimulatedBatch.header) != nil
    }

    /// Returns the partitions from which the record of a call can have been read.
    func places(of call: SimulatedUpstream.Call) -> Set<TopicPartition> {
        let copies = self.visible.copies[call.name]?.places ?? []
        return copies.union([Self.input(call.partition)])
    }

    /// Returns the wall-clock time from which the newest copy of a record may be called for; nil if the
    /// record was never copied.
    func due(_ call: SimulatedUpstream.Call) -> Int64? { self.visible.copies[call.name]?.due }
}
