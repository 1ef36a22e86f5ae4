import SwiftProtobuf

/// A field of a record whose content a backend forwards from a client, possibly in another type than the
/// schema has.
///
/// A wrong type in such a field must not make a dead letter, because only the client could correct it. `LegiblePayload`
/// finds such fields.
struct ClientMember: Hashable, Sendable {
    /// The field's name in protobuf, such as `transaction_id`.
    let name: String

    init(_ name: String) { self.name = name }

    /// The field's name in JSON, such as `transactionId`.
    var jsonName: String {
        let words = self.name.split(separator: "_")
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The reason with which a record is refused for such a field: it names the field, the type of its value, and
    /// the type that it has to have.
    func malformed<Decoded: Message>(in payload: RecordPayload, as type: Decoded.Type) -> Reason {
        let value = payload.object.flatMap { $0.value(self.jsonName) ?? $0.value(self.name) }
        // In protobuf only a text can be malformed.
        let kind = value?.first.map { JSONKind(firstByte: $0) } ?? .string
        return Reason(
            "\(self.name).malformed",
            ExpectedType.complaint(about: self.jsonName, is: kind.noun, in: type)
        )
    }

    /// Returns whether a value in JSON could be decoded if it were that of the only field.
    func isLegible<Decoded: Message>(_ value: ArraySlice<UInt8>, as type: Decoded.Type) -> Bool {
        let text = Array("{\"\(self.name)\":".utf8) + value + Array("}".utf8)
        return (try? Decoded(jsonUTF8Bytes: text)) != nil
    }

    /// Returns the field's number in protobuf; nil if it is no text. The generated code does not show it, so a message
    /// with this field alone is written.
    func textNumber<Decoded: Message>(in type: Decoded.Type) -> UInt64? {
        let text = Array("{\"\(self.name)\":\"a\"}".utf8)
        guard let bytes: [UInt8] = try? Decoded(jsonUTF8Bytes: text).serializedBytes() else { return nil }
        var reader = ProtobufReader(0..<bytes.count)
        return reader.varint(in: bytes.span).map { $0 >> 3 }
    }
}
