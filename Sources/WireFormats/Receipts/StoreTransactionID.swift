/// An id of a transaction, which goes into a path: decimal digits and nothing else.
package struct StoreTransactionID: Hashable, Sendable {
    package let text: String

    /// Apple's have 15 to 19 digits.
    package static let digitsLimit = 32

    package init?(_ text: String) {
        guard (1...Self.digitsLimit).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        self.text = text
    }
}
