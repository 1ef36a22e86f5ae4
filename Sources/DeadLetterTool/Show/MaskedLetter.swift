import DeadLetters
import Foundation
import Records
import WireFormats

/// A letter as it may be shown: masked, or as it is where somebody has said why.
struct MaskedLetter {
    let detail: LetterDetail
    let mark: KeyedMark
    let isRevealed: Bool

    var payload: DeadLetterPayload {
        self.isRevealed ? self.detail.payload : self.detail.payload.masked { self.mark.text($0) }
    }

    var key: String? {
        self.detail.record.key.map { self.isRevealed ? SafeText.line(of: $0) : self.mark.text($0) }
    }

    var headers: [(name: String, value: String?)] {
        self.detail.record.headers.map { header in
            let isShown =
                self.isRevealed
                || DeadLetterPayload.isPublicHeader(header.name, of: self.detail.facts.dialect)
            let value = header.value.map { isShown ? SafeText.line(of: $0) : self.mark.text($0) }
            return (SafeText.line(header.name, limit: 200), value)
        }
    }

    /// What the worker said of it.
    var message: String {
        let message = self.detail.facts.message
        guard !message.isEmpty else { return "" }
        return self.isRevealed || self.detail.facts.dialect.hasPublicMessages
            ? SafeText.line(message) : self.mark.text(Array(message.utf8))
    }
}
