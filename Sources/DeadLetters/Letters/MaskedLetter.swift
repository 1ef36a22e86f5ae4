import Records
package import WireFormats

/// A letter as it may be shown: masked, or as it is where somebody has said why.
///
/// Every text that it gives is safe on a terminal, and on one line.
package struct MaskedLetter: Sendable {
    package let detail: LetterDetail
    package let mark: KeyedMark
    package let isRevealed: Bool

    package struct Header: Hashable, Sendable {
        package var name: String
        /// Nil where it has none.
        package var value: String?
    }

    /// - Parameter isRevealed: whether the audit trail says who sees it, and why.
    package init(detail: LetterDetail, mark: KeyedMark, isRevealed: Bool) {
        self.detail = detail
        self.mark = mark
        self.isRevealed = isRevealed
    }

    package var payload: DeadLetterPayload {
        self.isRevealed ? self.detail.payload : self.detail.payload.masked { self.mark.text($0) }
    }

    /// Nil if its record has none.
    ///
    /// - Parameter limit: characters.
    package func key(limit: Int = 1_024) -> String? {
        self.detail.record.key.map { self.shown($0, isPublic: false, limit) }
    }

    /// - Parameters:
    ///   - count: of headers at most.
    ///   - limit: characters of a value.
    package func headers(atMost count: Int = .max, limit: Int = 1_024) -> [Header] {
        self.detail.record.headers.prefix(count).map { header in
            let isPublic = DeadLetterPayload.isPublicHeader(header.name, of: self.detail.facts.dialect)
            return Header(
                name: SafeText.line(header.name, limit: 200),
                // That nothing is there says nothing.
                value: header.value.map { self.shown($0, isPublic: isPublic || $0.isEmpty, limit) }
            )
        }
    }

    /// What the worker said of it; empty if nothing.
    package var message: String {
        let facts = self.detail.facts
        guard !facts.message.isEmpty else { return "" }
        return self.shown(Array(facts.message.utf8), isPublic: facts.dialect.hasPublicMessages, 1_024)
    }

    /// The bytes of its value; nil while they are masked, and of a tombstone.
    package var dump: HexDump? { self.isRevealed ? self.detail.record.value.map { HexDump($0) } : nil }

    private func shown(_ bytes: [UInt8], isPublic: Bool, _ limit: Int) -> String {
        self.isRevealed || isPublic ? SafeText.line(of: bytes, limit: limit) : self.mark.text(bytes)
    }
}
