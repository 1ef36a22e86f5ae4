import SwiftProtobuf

/// A field of a record that a backend fills with what a client sent it, in whatever type that came.
///
/// Such a field must not make a dead letter of a record: nobody but the client could mend it.
struct ClientMember: Hashable, Sendable {
    /// As the field is named in protobuf, such as `transaction_id`.
    let name: String

    init(_ name: String) { self.name = name }

    /// As it is named in JSON, such as `transactionId`.
    private var jsonName: String {
        let words = self.name.split(separator: "_")
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Why a record with such a field is refused.
    var malformed: Reason {
        Reason("\(self.name).malformed", "The field is of another type than its schema says.")
    }

    /// A client may nest its values deeper than any message of ours does.
    private static let depthLimit = 512

    /// The members of a payload in JSON; nil for any other.
    static func object(_ payload: RecordPayload) -> JSONObject? {
        payload.format == .json ? JSONObject(payload.message, depthLimit: self.depthLimit) : nil
    }

    /// Whether the field is there, and is by itself nothing that the schema takes.
    func isUnreadable<Decoded: Message>(in object: JSONObject, as type: Decoded.Type) -> Bool {
        [self.jsonName, self.name].contains { name in
            guard let value = object.value(name) else { return false }
            let text = Array("{\"\(name)\":".utf8) + value + Array("}".utf8)
            return (try? Decoded(jsonUTF8Bytes: text)) == nil
        }
    }

    /// Its text; empty if it has none, or more than the limit in bytes.
    func text(in object: JSONObject, bytesLimit: Int) -> String {
        let text = object.string(self.jsonName) ?? object.string(self.name) ?? ""
        return text.utf8.count <= bytesLimit ? text : ""
    }
}
