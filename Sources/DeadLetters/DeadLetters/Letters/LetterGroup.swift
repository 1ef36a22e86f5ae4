import Cryptography

/// The facts that dead letters of one cause have in common: their topic, the worker that wrote them, and the
/// reason.
package struct LetterGroup: Hashable, Sendable {
    /// The topic of dead letters.
    package var topic: String
    /// The worker that wrote the letters; where the letter names none, the consumer group of the dead record;
    /// empty without both.
    package var worker: String
    /// The class of the letters in one word, such as `rejected`.
    package var kind: String
    /// The reason as a stable code, such as `gdt.-12`.
    package var reason: String
    /// The form of the letters' headers, such as `flotilla` or `spring`.
    package var dialect: String
    /// The name of the field that the reason is about; empty if it is about none.
    package var field: String

    /// Creates a group from the facts of a letter.
    package init(
        topic: String,
        worker: String,
        kind: String,
        reason: String,
        dialect: String,
        field: String = ""
    ) {
        self.topic = topic
        self.worker = worker
        self.kind = kind
        self.reason = reason
        self.dialect = dialect
        self.field = field
    }

    /// The reason and the field that it is about, such as `field.wrong_type value`.
    package var cause: String { self.field.isEmpty ? self.reason : "\(self.reason) \(self.field)" }

    /// The name of the group: `g-` and ten hexadecimal digits. It is short enough to type, and the same on
    /// every machine.
    package var mark: String {
        var joined: [UInt8] = []
        // A group without a field keeps the mark that it had before groups knew fields.
        let field = self.field.isEmpty ? [] : [self.field]
        for part in [self.topic, self.worker, self.kind, self.reason, self.dialect] + field {
            joined += "\(part.utf8.count):".utf8
            joined += part.utf8
        }
        return "g-" + String(decoding: Digest.sha256.hexadecimal(joined).prefix(10), as: UTF8.self)
    }
}
