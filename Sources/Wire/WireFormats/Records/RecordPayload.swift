package import Records

/// A record's value without its wrapping (a CloudEvent or a schema registry's frame): the format, the bytes,
/// and where the message starts in them.
package struct RecordPayload: Hashable, Sendable {
    /// The format that the message is written in.
    package var format: ValueFormat
    /// The record's value, or the data of the CloudEvent in it.
    package var bytes: [UInt8]
    /// Where the message starts in `bytes`; a frame stands before it.
    package var start: Int

    /// The most bytes of a value, unless the caller gives another limit, as for receipts. No other message of
    /// ours comes near it.
    package static let bytesLimit = 1 << 20

    /// Takes the wrapping off a record's value.
    ///
    /// - Parameters:
    ///   - bytesLimit: the most bytes that the value may have.
    ///   - place: the place of the message in its `.proto` file, which the frame of a schema registry names; nil
    ///     for any place.
    /// - Throws: `RecordFault` if the value is absent, empty, too large, or wrapped in a way that cannot be
    ///   read.
    package init(
        of record: borrowing InboundRecord,
        bytesLimit: Int = RecordPayload.bytesLimit,
        messageAt place: Int? = 0
    ) throws(RecordFault) {
        guard let value = record.value else {
            throw RecordFault.undecodable("value.tombstone", "The record has no value.")
        }
        guard let first = value.first else {
            throw RecordFault.undecodable("value.empty", "The value has no bytes.")
        }
        guard value.count <= bytesLimit else {
            throw RecordFault.tooLarge(
                Reason("value.too_large", "The value has \(value.count) bytes; \(bytesLimit) are allowed.")
            )
        }
        if record.headers.isEmpty, first == UInt8(ascii: "{") {
            // The most common record needs no further checks: JSON without headers.
            self.init(format: .json, bytes: value, start: 0)
            return
        }
        let contentType = record.header("content-type").flatMap { $0.isEmpty ? nil : ContentType($0) }
        switch contentType {
        case .cloudEvent:
            let event = try CloudEvent(value)
            try self.init(event.data, as: event.dataContentType, messageAt: place)
        case .otherCloudEvent:
            throw CloudEvent.fault("only single events in JSON are read")
        default:
            try self.init(value, as: contentType, messageAt: place)
        }
        if let header = record.header(SchemaRegistryFraming.header) {
            try SchemaRegistryFraming.check(header: header, format: self.format, messageAt: place)
        }
    }

    private init(format: ValueFormat, bytes: [UInt8], start: Int) {
        self.format = format
        self.bytes = bytes
        self.start = start
    }

    private init(
        _ bytes: [UInt8],
        as contentType: ContentType?,
        messageAt place: Int?
    ) throws(RecordFault) {
        let isFramed = SchemaRegistryFraming.isFramed(bytes)
        var start = isFramed ? SchemaRegistryFraming.prefixByteCount : 0
        guard start < bytes.count else { throw SchemaRegistryFraming.fault("nothing follows it") }
        let format: ValueFormat
        switch contentType {
        case .json:
            format = .json
        case .protobuf:
            format = .protobuf
        case nil:
            format = Self.looksLikeJSON(bytes[start...]) ? .json : .protobuf
        case .unknown, .cloudEvent, .otherCloudEvent:
            throw RecordFault.undecodable(
                "value.unknown_content_type",
                "The content type is neither JSON nor protobuf."
            )
        }
        if isFramed, format == .protobuf {
            start = try SchemaRegistryFraming.payloadStart(in: bytes, path: start, messageAt: place)
        }
        if format == .json, bytes[start...].starts(with: JSONText.byteOrderMark) {
            start += JSONText.byteOrderMark.count
        }
        self.init(format: format, bytes: bytes, start: start)
    }

    /// Returns whether a message without a content type is JSON. A brace as the first byte is JSON: in
    /// protobuf it would open a group, which none of our schemas has. After white space, a quote or a closing
    /// brace has to follow the brace, because a line feed and a brace are also the beginning of a protobuf
    /// message whose first field is a string of 123 bytes.
    private static func looksLikeJSON(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.first == UInt8(ascii: "{") { return true }
        let unmarked = bytes.starts(with: JSONText.byteOrderMark) ? bytes.dropFirst(3) : bytes
        let text = unmarked.drop { $0.isJSONWhiteSpace }
        guard text.first == UInt8(ascii: "{") else { return false }
        let next = text.dropFirst().first { !$0.isJSONWhiteSpace }
        return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    }
}
