import WebPages

/// The user's written reason, without which the pages change and unmask nothing.
struct Because: Sendable {
    /// The length of a reason at least, in characters.
    static let shortest = 5
    /// The length of a reason at most, in characters; a longer one is cut.
    static let longest = 500
    let text: String

    /// Takes the reason from a form; nil if it is missing or too short.
    init?(_ form: FormFields) {
        guard let text = form["because"], text.count >= Self.shortest else { return nil }
        self.text = String(text.prefix(Self.longest))
    }

    /// The sentence for a form without a reason.
    static let wanted = "Write down why: at least \(Self.shortest) characters. It goes into the audit trail."
}
