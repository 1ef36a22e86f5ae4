/// The state of a dead letter: what a user has done about it, and how its latest replay ended.
///
/// The index stores the raw values.
package enum LetterState: Int, Hashable, Sendable, CaseIterable {
    /// No user has replayed or discarded the letter yet.
    case open = 0
    /// The letter was replayed, and the replay has no outcome yet.
    case replayed = 1
    /// The letter was replayed, and the worker reported success; or that was told of another letter of the record, and
    /// no user has acted on this one.
    case succeeded = 2
    /// The letter was replayed, and the upstream or a rule rejected the record for good.
    case rejected = 3
    /// The letter was replayed, and the record's deadline had passed.
    case expired = 4
    /// The letter was replayed, and the record became another dead letter.
    case deadAgain = 5
    /// A user has put the letter aside for good.
    case discarded = 6

    /// The name of the state as the command line, the pages and JSON write it.
    package var word: String {
        switch self {
        case .open: "open"
        case .replayed: "replayed"
        case .succeeded: "succeeded"
        case .rejected: "rejected"
        case .expired: "expired"
        case .deadAgain: "dead_again"
        case .discarded: "discarded"
        }
    }

    /// Finds the state that is written like this; nil for any other word.
    package init?(word: some StringProtocol) {
        guard let state = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = state
    }

    /// The state that the outcome of a replay gives its letter. A fate that this version does not know leaves
    /// the letter `replayed`.
    package init(fate: String) {
        switch fate {
        case "succeeded": self = .succeeded
        case "rejected": self = .rejected
        case "expired": self = .expired
        case "dead_lettered": self = .deadAgain
        default: self = .replayed
        }
    }
}
