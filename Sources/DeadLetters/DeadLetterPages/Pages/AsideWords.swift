import DeadLetters

/// The words of the page on which letters are discarded or brought back.
struct AsideWords: Sendable {
    /// The action as a command, on headings and buttons.
    var verb: String
    /// The heading once it is done.
    var heading: String
    /// The sentences about what the action does.
    var lead: String
    /// The path that the confirmation is sent to.
    var address: String
    private let isDiscard: Bool

    init(_ action: AsideAction) {
        self.isDiscard = action == .discard
        switch action {
        case .discard:
            self.verb = "Discard"
            self.heading = "Discarded"
            self.address = "/discards"
            self.lead =
                "Discarded letters are no longer open, and are not replayed without force. They stay in their topic "
                + "until the broker deletes them, and can be brought back until then."
        case .restore:
            self.verb = "Bring back"
            self.heading = "Brought back"
            self.address = "/restores"
            self.lead =
                "Discarded letters become open again. A letter that was replayed before it was discarded stays as it is."
        }
    }

    /// The sentence beside the box that confirms the action.
    func confirmation(_ count: Int) -> String {
        let letters = count == 1 ? "it" : "them"
        return self.isDiscard
            ? "I am sure that nobody needs \(letters)" : "Somebody will take care of \(letters)"
    }
}
