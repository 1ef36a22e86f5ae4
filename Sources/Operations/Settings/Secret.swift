/// A value that must not be seen: it prints as `<secret>` however it is printed, and shows itself only when asked by
/// name.
package struct Secret: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var isEmpty: Bool { self.bytes.isEmpty }

    /// The text itself. Hand it on; do not keep it or print it.
    package func reveal() -> String {
        String(decoding: self.bytes, as: UTF8.self)
    }

    /// The bytes themselves, for keys that are no text.
    package func revealBytes() -> [UInt8] {
        self.bytes
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
