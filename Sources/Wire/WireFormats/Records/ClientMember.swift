import SwiftProtobuf

/// A field of a record whose content a backend forwards from a client, possibly in another type than the
/// schema has.
///
/// A wrong type in such a field must not make a dead letter, because only the client could correct it.
struct ClientMember: Hashable, Sendable {
    /// The field's name in protobuf, such as `transaction_id`.
    let name: String

    init(_ name: String) { self.name = name }

    /// The field's name in JSON, such as `transactionId`.
    private var jsonName: String {
        let words = self.name.split(separator: "_")
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The reason with which a record is refused for such a field: it names the field, the type of its value, and
    /// the type that it has to have.
    func malformed<Decoded: Message>(in object: JSONObject, as type: Decoded.Type) -> Reason {
        let value = object.value(self.jsonName) ?? object.value(self.name)
        let noun = value?.first.map { JSONKind(firstByte: $0).noun } ?? "a value"
        return Reason(
            "\(self.name).malformed",
            ExpectedType.complaint(about: self.jsonName, is: noun, in: type)
        )
    }

    /// The deepest nesting that is read: a client may nest its values deeper than any of our messages.
    private static let depthLimit = 512

    /// Returns the members of a payload in JSON; nil for protobuf, and for a payload that is not one object.
    static func object(_ payload: RecordPayload) -> JSONObject? {
        payload.format == .json ? JSONObject(payload.message, depthLimit: self.depthLimit) : nil
    }

    /// Returns whether the field is in the object and cannot be decoded, even if it were the only field.
    func isUnreadable<Decoded: Message>(in object: JSONObject, as type: Decoded.Type) -> Bool {
        [self.jsonName, self.name].contains { name in
            guard let value = object.value(name) else { return false }
            let text = Array("{\"\(name)\":".utf8) + value + Array("}".utf8)
            return (try? Decoded(jsonUTF8Bytes: text)) == nil
        }
    }

    /// Returns the field's text; empty if it has none, or has more bytes than the limit.
    func text(in object: JSONObject, bytesLimit: Int) -> String {
        let text = object.string(self.jsonName) ?? object.string(self.name) ?? ""
        return text.utf8.count <= bytesLimit ? text : ""
    }
}
