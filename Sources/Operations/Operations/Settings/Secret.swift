/// A value that must not appear in logs or messages. Every way of printing it gives `<secret>`; only `reveal`
/// and `revealBytes` return the value.
package struct Secret: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Keeps the UTF-8 bytes of a text as a secret.
    package init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    /// Keeps bytes as a secret.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether the secret has no bytes.
    package var isEmpty: Bool { self.bytes.isEmpty }

    /// Returns the text. Pass it on at once; do not store or print it.
    package func reveal() -> String {
        String(decoding: self.bytes, as: UTF8.self)
    }

    /// Returns the bytes, for keys that are not text.
    package func revealBytes() -> [UInt8] {
        self.bytes
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
