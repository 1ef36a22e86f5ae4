import WebPages

/// A written reason, without which nothing is changed and nothing unmasked.
struct Because: Sendable {
    static let shortest = 5
    static let longest = 500
    let text: String

    /// Nil for what says nothing.
    init?(_ form: FormFields) {
        guard let text = form["because"], text.count >= Self.shortest else { return nil }
        self.text = String(text.prefix(Self.longest))
    }

    static let wanted = "Write down why: at least \(Self.shortest) characters. It goes into the audit trail."
}
