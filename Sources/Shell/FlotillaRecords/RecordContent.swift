import SwiftProtobuf
package import WireFormats

/// The content of the records of one topic.
///
/// A value is protobuf or JSON; `Schemas/` describes both. Fields that are not set are empty, zero or nil. New
/// versions may add fields and take none away.
public protocol RecordContent: Hashable, Sendable {
    /// The topic's name where no setting says otherwise.
    static var topic: String { get }

    /// Makes content in which nothing is set.
    init()

    /// Decodes a record in any form that the workers read: protobuf or JSON, as its header `content-type` says
    /// or its first byte shows, also inside a CloudEvent or behind the frame of a schema registry.
    ///
    /// - Throws: `RecordError` if the value is absent, larger than the workers read (1 MiB, a receipt 8 MiB),
    ///   or not of this schema. The rules of a worker, such as the range of a time, are not applied.
    init(decoding record: Record) throws(RecordError)

    /// Returns the value of a record with this content.
    ///
    /// - Throws: `RecordError` for a time outside the years 1 to 9999, which JSON cannot have. Only a record that
    ///   was decoded from protobuf can hold one.
    func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8]
}

extension RecordContent {
    /// Makes content and fills it: `Activation { $0.appID = 112233 }`.
    public init(_ fill: (inout Self) -> Void) {
        self.init()
        fill(&self)
    }

    /// Returns a record with this content, and the header `content-type`.
    ///
    /// - Parameters:
    ///   - topic: The topic; the usual one if it is nil.
    ///   - key: The key, which decides the partition and so the order.
    /// - Throws: `RecordError` as `encoded(as:)` does.
    public func record(
        to topic: String? = nil,
        key: [UInt8]? = nil,
        as format: RecordFormat = .json
    ) throws(RecordError) -> OutgoingRecord {
        OutgoingRecord(
            topic: topic ?? Self.topic,
            key: key,
            value: try self.encoded(as: format),
            headers: [Header("content-type", format.contentType)]
        )
    }
}

/// The format of a record's value.
public enum RecordFormat: String, Hashable, Sendable, CaseIterable {
    /// The canonical JSON mapping of the schema.
    case json
    /// The binary form of the schema.
    case protobuf

    /// The value of the header `content-type`.
    public var contentType: String { self.valueFormat.contentType }

    private var valueFormat: ValueFormat {
        switch self {
        case .json: .json
        case .protobuf: .protobuf
        }
    }

    func encode(_ message: some Message) throws(RecordError) -> [UInt8] {
        switch self {
        case .protobuf: return message.encoded()
        case .json:
            do {
                return try message.jsonUTF8Bytes()
            } catch {
                throw RecordError(Reason("value.not_json", "A field has a value that JSON cannot have."))
            }
        }
    }
}

/// The reason why a record cannot be decoded. It quotes no value of the record; it may name a field.
public struct RecordError: Error, Hashable, Sendable {
    /// A stable code in dotted lower case, such as `value.not_json`.
    public let code: String
    /// One sentence for a person.
    public let text: String

    /// Takes a reason of the codec.
    package init(_ reason: Reason) {
        self.code = reason.code
        self.text = reason.message
    }
}

extension Record {
    /// Decodes the value as a message.
    ///
    /// - Parameter place: The place of the message in its `.proto` file, counted from 0.
    func decoded<Decoded: Message>(
        bytesLimit: Int = RecordPayload.bytesLimit,
        messageAt place: Int = 0
    ) throws(RecordError) -> Decoded {
        do throws(RecordFault) {
            return try RecordPayload(of: self.inbound, bytesLimit: bytesLimit, messageAt: place)
                .decode(as: Decoded.self)
        } catch {
            throw RecordError(error.reason)
        }
    }
}
