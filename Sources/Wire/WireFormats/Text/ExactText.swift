/// A text as the key of a table, and in an order: by the bytes of its UTF-8.
///
/// Swift compares and hashes a `String` by its normal form, which takes a time that grows with the square of a run
/// of combining marks: a few hundred kilobytes from a phone would stop a worker. Two names of one normal form are
/// also two names to everybody else. Every text from outside that no limit keeps short is compared by its bytes.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }

    package static func < (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in self.text.utf8 { hasher.combine(byte) }
        // UTF-8 never contains this byte, so it marks the end.
        hasher.combine(UInt8(0xFF))
    }
}

extension StringProtocol {
    /// Returns whether both texts have the same bytes.
    package func isExactly(_ other: some StringProtocol) -> Bool {
        self.utf8.count == other.utf8.count && self.utf8.elementsEqual(other.utf8)
    }
}

extension CaseIterable where Self: RawRepresentable, Self.RawValue == String {
    /// Finds the case whose raw value has the same bytes as a text; nil if there is none.
    package init?(exactly text: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue.isExactly(text) }) else { return nil }
        self = found
    }
}
