import DeadLetters
import WireFormats

/// The values of the template `edit`: the text field with the payload of one letter.
struct EditModel: Sendable {
    /// The text field.
    struct Editor: Sendable {
        var text: String
        /// The reason that the user has given.
        var because: String
        var rows: String

        /// - Parameter text: the payload, as the user has it now.
        init(_ text: String, because: String) {
            self.text = text
            self.because = because
            self.rows =
                "\(min(30, max(4, text.split(separator: "\n", omittingEmptySubsequences: false).count)))"
        }
    }

    /// A line of the payload with its number.
    struct Line: Sendable {
        var number: String
        var content: String
    }

    var frame: Frame
    var id: String
    var short: String
    /// A sentence about what is wrong with the payload; nil if nothing is, or it was not edited yet.
    var fault: String?
    /// The line that is wrong; nil if no single one is.
    var faultLine: Line?
    /// Nil while the user has not said why the letter is to be edited.
    var editor: Editor?

    /// The bytes of a payload that the page takes at most: as a form, each byte may take three, and a form has at most
    /// `PagesServer.longestBody`.
    static let textLimit = 20_000
    /// The characters of a line that are shown.
    private static let lineLimit = 200

    init(_ id: LetterID, frame: Frame) {
        self.id = "\(id)"
        self.short = LetterLine.short(id)
        self.frame = frame
    }

    /// Returns the payload as the text field holds it; nil if a text field would change it, or it is too long.
    static func text(of payload: DeadLetterPayload) -> String? {
        guard let bytes = payload.editable, bytes.count <= self.textLimit,
            let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0 != "\n" && SafeText.isTreacherous($0) })
        else { return nil }
        return text
    }

    /// Returns a line of a text by its number, counted from 1; nil if the text has fewer.
    static func line(_ number: Int, of text: String) -> Line? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(number - 1) else { return nil }
        return Line(
            number: "\(number)",
            content: SafeText.line(String(lines[number - 1]), limit: self.lineLimit)
        )
    }
}
