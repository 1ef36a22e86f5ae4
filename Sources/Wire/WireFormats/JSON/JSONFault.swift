/// The reason why a text is not JSON, or is more than the reader accepts, and the place of the fault.
package struct JSONFault: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable, CaseIterable {
        /// The text has bytes that are not UTF-8.
        case notUTF8
        /// The text is longer than can be read.
        case tooLong
        case tooManyValues
        case tooDeep
        /// The text ends where a value should stand.
        case noValue
        /// A word stands where a value should stand.
        case unquoted
        /// Something follows the value.
        case more
        case noName
        case noColon
        case noCommaOrBrace
        case noCommaOrBracket
        /// A number lacks digits behind its point or its exponent.
        case noDigits
        /// A string has a control character or a line feed in it.
        case controlCharacter
        /// A string does not end.
        case openString
        /// The text ends within an escape.
        case openEscape
        case unknownEscape
        case noHexadecimalDigits
        /// An escape is half of a surrogate pair.
        case halfPair
    }

    package var cause: Cause
    /// The position of the fault in the text.
    package var offset: Int

    init(_ cause: Cause, at offset: Int) {
        self.cause = cause
        self.offset = offset
    }
}
