package import Records
package import ServiceKit

/// The note that a record of the input was put aside: its offset counts as done, and it is read again when
/// what it waits for has come.
///
/// A ticket is a record of the compacted topic `T.parked`, in the partition of the same number. Its key is
/// the offset of the record that it stands for, so that a record which is parked twice has one ticket. Its
/// value is
///
///     p1 <place> <key> <timestamp> <room>
///
/// - place: The mark of cluster, topic and partition (`PartitionMark`), 16 hexadecimal digits.
/// - key: The mark of the record's key (`KeyMark`), 32 hexadecimal digits, or `-` if the record has none.
/// - timestamp: The record's timestamp in milliseconds since 1970, or `-` if it has none.
/// - room: The condition that the record waits for (`WaitingRoom`), or nothing.
///
/// A tombstone, which is a record without a value, takes the ticket back. It is written with the outcome of
/// the record, after it, so that a worker that dies between the two repeats work and loses nothing.
package struct ParkingTicket: Hashable, Sendable {
    /// The mark of the input partition.
    package var place: PartitionMark
    /// The offset of the parked record in the input.
    package var offset: Int64
    /// The mark of the record's key; nil if the record has none.
    package var key: KeyMark?
    /// The record's timestamp in milliseconds since 1970; nil if it has none.
    package var timestamp: Int64?
    /// The condition that the record waits for.
    package var room: WaitingRoom

    package init(
        place: PartitionMark,
        offset: Int64,
        key: KeyMark?,
        timestamp: Int64?,
        room: WaitingRoom
    ) {
        self.place = place
        self.offset = offset
        self.key = key
        self.timestamp = timestamp
        self.room = room
    }

    /// The end of the name of a parking topic, after the name of the topic whose records it is for.
    package static let topicSuffix = ".parked"

    private static let prefix = "p1"

    /// Returns whether this is the record that the ticket was written for. A topic that was deleted and
    /// created again has another record at its offset.
    package func fits(_ record: InboundRecord) -> Bool {
        record.offset == self.offset && record.timestamp == self.timestamp
            && record.key.map { KeyMark($0) } == self.key
    }

    /// Returns the ticket as a record of the parking topic.
    package func record(to topic: String, partition: Int32) -> OutboundRecord {
        let key = self.key?.text ?? "-"
        let timestamp = self.timestamp.map { String($0) } ?? "-"
        let value = "\(Self.prefix) \(self.place.text) \(key) \(timestamp) \(self.room.text)"
        return OutboundRecord(
            topic: topic,
            key: Array(String(self.offset).utf8),
            value: Array(value.utf8),
            partition: partition
        )
    }

    /// Returns the tombstone that takes the ticket of this offset back.
    package static func end(of offset: Int64, in topic: String, partition: Int32) -> OutboundRecord {
        OutboundRecord(topic: topic, key: Array(String(offset).utf8), partition: partition)
    }

    /// The offset of a ticket that cannot exist. Its tombstone takes nothing back: a worker writes it when it starts, to
    /// learn the time that a broker puts on it (`BrokerClock`).
    package static let clockOffset = Int64.max - 1

    /// The content of one record of the parking topic.
    package enum Line: Hashable, Sendable {
        case ticket(ParkingTicket)
        case end(of: Int64)
        /// The ticket is about another cluster, topic or partition: a mirror has copied it here.
        case otherPlace
        case unreadable
    }

    /// Reads one record of the parking topic.
    ///
    /// - Parameter place: The mark of the input partition that its tickets have to name. A tombstone names
    ///   none.
    package static func line(_ record: InboundRecord, at place: PartitionMark) -> Line {
        guard let key = record.key, key.count <= 20, let offset = Int64(String(decoding: key, as: UTF8.self)),
            offset >= 0, offset < .max
        else { return .unreadable }
        guard let value = record.value else { return .end(of: offset) }
        guard value.count <= 1_024 else { return .unreadable }
        let parts = String(decoding: value, as: UTF8.self).split(
            separator: " ",
            omittingEmptySubsequences: false
        )
        guard parts.count == 5, parts[0] == Self.prefix else { return .unreadable }
        guard parts[1] == place.text else { return .otherPlace }
        let mark = KeyMark(parts[2])
        let timestamp = Int64(parts[3])
        guard mark != nil || parts[2] == "-", timestamp != nil || parts[3] == "-" else { return .unreadable }
        return .ticket(
            ParkingTicket(
                place: place,
                offset: offset,
                key: mark,
                timestamp: timestamp,
                room: WaitingRoom(parts[4])
            )
        )
    }
}
