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
        switch String(decoding: mediaType, as: UTF8.self) {
        case "application/json":
            self = .json
        case "application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf":
            self = .protobuf
        case "application/cloudevents+json":
            self = .cloudEvent
        case let name where name.hasPrefix("application/cloudevents"):
            self = .otherCloudEvent
        case let name where name.hasPrefix("application/") && name.hasSuffix("+json"):
            self = .json
        default:
            self = .unknown
        }
    }
}
