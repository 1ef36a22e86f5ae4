/// Ids of teams and keys at Apple.
package enum AppleID {
    /// A text is no such id.
    package struct Fault: Error, CustomStringConvertible {
        package var description: String { "it is not 10 letters and digits" }
    }

    /// Whether it is ten letters and digits. It goes into tokens and lane names, so nothing else is let through.
    package static func isTenCharacters(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { $0.isDigit || $0.isUppercase || $0.isLowercase }
    }

    /// The same text, if it is one.
    package static func checked(_ text: String) throws(Fault) -> String {
        guard Self.isTenCharacters(text) else { throw Fault() }
        return text
    }
}
