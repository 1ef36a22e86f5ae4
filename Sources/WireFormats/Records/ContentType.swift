/// The media types that a record's `content-type` header may name. Parameters and case are ignored.
package enum ContentType: Hashable, Sendable {
    case json
    case protobuf
    /// An event in CloudEvents' structured mode, with the record's payload inside.
    case cloudEvent
    /// Another form of CloudEvents, such as a batch.
    case otherCloudEvent
    case unknown

    package init(_ header: some Collection<UInt8>) {
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
