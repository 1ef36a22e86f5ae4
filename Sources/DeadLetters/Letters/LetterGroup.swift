import Cryptography

/// What makes dead letters the same trouble: where they lie, who wrote them, and why.
package struct LetterGroup: Hashable, Sendable {
    package var topic: String
    package var worker: String
    /// One word, such as `rejected`.
    package var kind: String
    /// A stable code, such as `gdt.-12`.
    package var reason: String
    /// The way its letters are written, such as `flotilla` or `spring`.
    package var dialect: String

    package init(topic: String, worker: String, kind: String, reason: String, dialect: String) {
        self.topic = topic
        self.worker = worker
        self.kind = kind
        self.reason = reason
        self.dialect = dialect
    }

    /// `g-` and ten hexadecimal digits: short enough to type, the same on every machine.
    package var mark: String {
        var joined: [UInt8] = []
        for part in [self.topic, self.worker, self.kind, self.reason, self.dialect] {
            joined += "\(part.utf8.count):".utf8
            joined += part.utf8
        }
        return "g-" + String(decoding: Digest.sha256.hexadecimal(joined).prefix(10), as: UTF8.self)
    }
}
