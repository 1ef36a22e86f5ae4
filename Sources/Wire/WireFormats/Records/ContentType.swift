/// The media types that a record's `content-type` header may name. Parameters and case are ignored.
package enum ContentType: Hashable, Sendable {
    case json
    case protobuf
    /// An event in CloudEvents' structured mode, with the record's payload inside.
    case cloudEvent
    /// A form of CloudEvents that is not read, such as a batch.
    case otherCloudEvent
    case unknown

    /// The usual spellings, which are recognised without further parsing. The last one is GrowingIO's.
    private static let usual = (
        json: Array(ValueFormat.json.contentType.utf8),
        protobuf: Array(ValueFormat.protobuf.contentType.utf8),
        uploaded: Array("application/protobuf".utf8)
    )

    /// Reads the value of a `content-type` header.
    package init(_ header: [UInt8]) {
        if header == Self.usual.json {
            self = .json
        } else if header == Self.usual.protobuf || header == Self.usual.uploaded {
            self = .protobuf
        } else {
            self.init(spelled: header)
        }
    }

    private init(spelled header: [UInt8]) {
        let mediaType = header.prefix { $0 != UInt8(ascii: ";") }.trimmingWhiteSpace().map(\.lowercased)
        // By bytes: a phone chooses the header, and it can be long.
        func reads(_ text: String) -> Bool { mediaType.elementsEqual(text.utf8) }
        func begins(_ text: String) -> Bool { mediaType.starts(with: text.utf8) }

        if reads("application/json") {
            self = .json
        } else if Self.protobufNames.contains(where: { mediaType.elementsEqual($0.utf8) }) {
            self = .protobuf
        } else if reads("application/cloudevents+json") {
            self = .cloudEvent
        } else if begins("application/cloudevents") {
            self = .otherCloudEvent
        } else if begins("application/"), mediaType.suffix(5).elementsEqual("+json".utf8) {
            self = .json
        } else {
            self = .unknown
        }
    }

    private static let protobufNames = [
        "application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf",
    ]
}
