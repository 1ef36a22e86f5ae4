/// The ids of teams and keys at Apple.
package enum AppleID {
    /// The text is not such an id.
    package struct Fault: Error, CustomStringConvertible {
        /// The end of a sentence that begins with the id's name. It does not quote the text.
        package var description: String { "it is not 10 letters and digits" }
    }

    /// Returns whether the text is ten letters and digits. An id goes into tokens and lane names, so nothing
    /// else is accepted.
    package static func isTenCharacters(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { $0.isDigit || $0.isUppercase || $0.isLowercase }
    }

    /// Returns the text if it is such an id.
    package static func checked(_ text: String) throws(Fault) -> String {
        guard Self.isTenCharacters(text) else { throw Fault() }
        return text
    }
}
