import Records
import WireFormats

/// A dead letter in the form that a user may see: masked, or unmasked once the audit trail has the user's
/// reason.
///
/// Every text that it returns is safe on a terminal and stands on one line.
package struct MaskedLetter: Sendable {
    /// The unmasked letter; take nothing from it that is shown.
    package let detail: LetterDetail
    /// Decides which texts are shown, and makes the marks of the others.
    package let mask: LetterMask
    /// Whether the texts are shown unmasked.
    package let isRevealed: Bool

    /// One header of the letter's record.
    package struct Header: Hashable, Sendable {
        /// The name of the header, in at most 200 characters.
        package var name: String
        /// The value of the header, masked where it has to be; nil if the header has no value.
        package var value: String?
    }

    /// Creates the form of a letter that is shown.
    ///
    /// - Parameter isRevealed: whether the audit trail already says who sees the letter, and why.
    package init(detail: LetterDetail, mask: LetterMask, isRevealed: Bool) {
        self.detail = detail
        self.mask = mask
        self.isRevealed = isRevealed
    }

    /// The payload, with a mark in the place of everything personal or secret unless the letter is revealed.
    package var payload: DeadLetterPayload {
        self.isRevealed ? self.detail.payload : self.mask.masked(self.detail.payload)
    }

    /// Returns the key of the record; nil if the record has none.
    ///
    /// - Parameter limit: the number of characters at most.
    package func key(limit: Int = 1_024) -> String? {
        self.detail.record.key.map { self.shown($0, isPublic: false, limit) }
    }

    /// Returns the headers of the record, in their order.
    ///
    /// - Parameters:
    ///   - count: the number of headers at most.
    ///   - limit: the number of characters of a value at most.
    package func headers(atMost count: Int = .max, limit: Int = 1_024) -> [Header] {
        let isOfPhone = ReadablePolicy.isOfPhone(self.detail.record.headers)
        return self.detail.record.headers.prefix(count).map { header in
            Header(
                name: SafeText.line(header.name, limit: 200),
                value: self.isRevealed
                    ? header.value.map {
                        LetterMask.text(of: header.name, $0, self.detail.facts.dialect, limit: limit)
                    }
                    : self.mask.value(
                        of: header,
                        self.detail.facts.dialect,
                        isOfPhone: isOfPhone,
                        limit: limit
                    )
            )
        }
    }

    /// The message in which the worker or framework says why it gave up, in at most 1,024 characters; empty if there is
    /// none.
    package var message: String {
        let facts = self.detail.facts
        guard !facts.message.isEmpty else { return "" }
        return self.shown(
            Array(facts.message.utf8),
            isPublic: self.mask.showsMessage(of: facts.dialect),
            1_024
        )
    }

    /// The bytes of the value; nil while the letter is masked, and for a tombstone.
    package var dump: HexDump? { self.isRevealed ? self.detail.record.value.map { HexDump($0) } : nil }

    /// Returns the bytes as a line of text if they may be seen, and their mark otherwise.
    private func shown(_ bytes: [UInt8], isPublic: Bool, _ limit: Int) -> String {
        self.isRevealed || isPublic ? SafeText.line(of: bytes, limit: limit) : self.mask.mark.text(bytes)
    }
}
