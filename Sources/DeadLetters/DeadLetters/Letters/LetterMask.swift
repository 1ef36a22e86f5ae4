import Records
import WireFormats

/// Decides which texts of a letter are shown, and makes the marks of the others.
package struct LetterMask: Sendable {
    /// Makes the marks.
    package let mark: KeyedMark
    /// The texts that may be read beside those that are always shown.
    package let readable: ReadablePolicy

    /// Creates a mask.
    package init(mark: KeyedMark, readable: ReadablePolicy) {
        self.mark = mark
        self.readable = readable
    }

    /// Returns a payload with a mark in place of everything that may not be read.
    package func masked(_ payload: DeadLetterPayload) -> DeadLetterPayload {
        payload.masked(showing: self.readable) { self.mark.text($0) }
    }

    /// Returns the value of a header as it may be shown; nil if it has no value.
    ///
    /// - Parameters:
    ///   - dialect: The form of the letter's headers.
    ///   - isOfPhone: see `ReadablePolicy.isOfPhone(_:)`.
    ///   - limit: the number of characters at most.
    func value(of header: RecordHeader, _ dialect: DeadLetterDialect, isOfPhone: Bool, limit: Int) -> String?
    {
        header.value.map { value in
            // An empty value is shown, because it reveals nothing.
            value.isEmpty || self.shows(header.name, value, in: dialect, isOfPhone: isOfPhone)
                ? Self.text(of: header.name, value, dialect, limit: limit) : self.mark.text(value)
        }
    }

    /// Returns a header's value as a line of text. A number that Spring wrote as the bytes of an integer is shown as such.
    static func text(of name: String, _ value: [UInt8], _ dialect: DeadLetterDialect, limit: Int) -> String {
        guard dialect == .spring, DeadLetterField.springNumbers.contains(name),
            let number = DeadLetterField.binaryNumber(value)
        else { return SafeText.line(of: value, limit: limit) }
        return "\(number) (\(8 * value.count)-bit integer)"
    }

    /// Whether the message of a letter is shown.
    func showsMessage(of dialect: DeadLetterDialect) -> Bool {
        dialect.hasPublicMessages || self.readable.showsMessages
    }

    private func shows(_ name: String, _ value: [UInt8], in dialect: DeadLetterDialect, isOfPhone: Bool)
        -> Bool
    {
        if DeadLetterPayload.isPublicHeader(name, of: dialect) { return true }
        // Bytes that are no text may be anything, such as an exception that Java wrote down with the record in it.
        guard String(validating: value, as: UTF8.self) != nil else { return false }
        if DeadLetterField.messageNames.contains(name) { return self.readable.showsMessages }
        return !dialect.isNotice(name) && value.count <= ReadablePolicy.valueBytesLimit
            && self.readable.showsHeader(name, isOfPhone: isOfPhone)
    }
}
