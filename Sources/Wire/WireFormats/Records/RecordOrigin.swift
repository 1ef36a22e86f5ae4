package import Records

/// The header that says which record of a publisher a derived record comes from: the topic, the partition and
/// the offset, with slashes between them.
///
/// A worker that makes work for another one sets it, and so does the replay of a dead letter; the outcome of
/// that work repeats it. It is a claim: it decides nothing but the name under which a repeated report is
/// recognised. That name covers the content of the report too, so a publisher that forges it can hide no
/// conversion but its own.
package enum RecordOrigin {
    /// The name of the header.
    package static let header = "flotilla.origin"
    /// The header with the id of the event that the record reports, if the record was made of an event.
    package static let eventHeader = "flotilla.event_id"
    /// The header of a push event that was sent on within its topic: the partition and the offset where it first
    /// stood, with a slash between them. In a record, a slash and the number of hops follow.
    package static let pushHeader = "flotilla.push.origin"

    /// The headers of a publisher that the outcome of its record repeats.
    package static let publisherHeaders = ["correlation-id", "ce_id"]
    /// The most bytes of a publisher's header that an outcome repeats.
    package static let publisherBytesLimit = 256

    /// The longest value of either header that is passed on; a topic has at most 249 characters.
    package static let bytesLimit = 300

    /// Returns the value of the header for a record at this place.
    package static func place(_ topic: String, _ partition: Int32, offset: Int64) -> String {
        "\(topic)/\(partition)/\(offset)"
    }
}

extension InboundRecord {
    /// The headers of origin, which the outcome of this record repeats; those that are too long or not
    /// visible ASCII are left out.
    package var originHeaders: [RecordHeader] {
        guard !self.headers.isEmpty else { return [] }
        return [RecordOrigin.header, RecordOrigin.eventHeader].compactMap { name in
            guard let value = self.header(name), 1...RecordOrigin.bytesLimit ~= value.count,
                value.allSatisfy(\.isVisible)
            else { return nil }
            return RecordHeader(name, value)
        }
    }

    /// The headers by which a publisher recognises the outcome of its record, byte for byte: `correlation-id`,
    /// and the id of a binary CloudEvent. A header without a value or with more than 256 bytes is left out.
    package var publisherHeaders: [RecordHeader] {
        guard !self.headers.isEmpty else { return [] }
        return RecordOrigin.publisherHeaders.compactMap { name in
            guard let value = self.header(name), value.count <= RecordOrigin.publisherBytesLimit else {
                return nil
            }
            return RecordHeader(name, value)
        }
    }

    /// The name of what a report of this record is about: the SDK's event if it names one, else the record of
    /// the publisher, which is this one if no header names another.
    ///
    /// An event has the same name in every record that is made of it, whether a phone has uploaded it
    /// twice or a worker has taken it in twice.
    package var reportName: String {
        let headers = self.originHeaders
        let header = headers.first { $0.name == RecordOrigin.eventHeader } ?? headers.first
        return header?.value.map { String(decoding: $0, as: UTF8.self) } ?? self.place
    }

    /// The topic, the partition and the offset of this record, as the header of origin has them.
    package var place: String { RecordOrigin.place(self.topic, self.partition, offset: self.offset) }
}
