/// What has been done about a dead letter, and what came of it.
package enum LetterState: Int, Hashable, Sendable, CaseIterable {
    /// Nobody has done anything yet.
    case open = 0
    /// Replayed; nothing has been heard of it since.
    case replayed = 1
    case succeeded = 2
    /// Replayed, and the upstream or a rule gave a final no.
    case rejected = 3
    /// Replayed, and its deadline had passed.
    case expired = 4
    /// Replayed, and dead once more: there is another letter of it.
    case deadAgain = 5
    case discarded = 6

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

    package init?(word: some StringProtocol) {
        guard let state = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = state
    }

    /// What a replay's outcome makes of its letter. A fate that this version does not know leaves it replayed.
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
