/// A transaction id that can safely be put into a URL's path: decimal digits only.
package struct StoreTransactionID: Hashable, Sendable {
    /// The digits.
    package let text: String

    /// The most digits that are accepted; Apple's ids have 15 to 19.
    package static let digitsLimit = 32

    /// Checks an id; nil unless it is 1 to 32 decimal digits.
    package init?(_ text: String) {
        guard (1...Self.digitsLimit).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        self.text = text
    }
}
