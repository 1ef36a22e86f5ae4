import DeadLetters
import Records
import WireFormats

/// Everything about one letter as JSON: masked, unless the letter is revealed.
struct LetterDetailForm: Encodable {
    var letter: LetterForm
    var dialect: String
    var message: String
    var meaning: String
    var replay: String
    var advice: String
    var headers: [Header]
    var payloadForm: String
    var payloadSchema: String?
    var payloadFault: String?
    /// The payload as lines of JSON text. A text keeps the order of the members and the digits of the numbers
    /// as they are in the record.
    var payload: [String]
    /// The value in hexadecimal digits; nil unless the letter is revealed.
    var rawValue: String?
    var replays: [ReplayForm]
    var successors: [String]

    struct Header: Encodable {
        var name: String
        var value: String?
    }

    init(_ masked: MaskedLetter) {
        let guide = ReasonGuide(masked.detail.facts)
        self.letter = LetterForm(masked.detail.view)
        self.dialect = masked.detail.facts.dialect.rawValue
        self.message = masked.message
        self.meaning = guide.meaning
        self.replay = guide.replay.rawValue
        self.advice = guide.advice
        self.headers = masked.headers().map { Header(name: $0.name, value: $0.value) }
        let payload = masked.payload
        self.payloadForm = payload.form.rawValue
        self.payloadSchema = payload.schema?.rawValue
        self.payloadFault = payload.fault?.code
        self.payload = payload.lines()
        if masked.isRevealed {
            self.letter.key = masked.key()
            self.rawValue = masked.detail.record.value.map { value in
                value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
        }
        self.replays = masked.detail.replays.map(ReplayForm.init)
        self.successors = masked.detail.successors.map(\.id.description)
    }
}
