/// An action on letters that replays nothing.
package enum AsideAction: Hashable, Sendable {
    /// Puts letters aside for good.
    case discard
    /// Makes letters open again that were discarded.
    case restore

    /// The states that letters are chosen by if the user names neither letters nor states.
    package var usualStates: [LetterState] {
        switch self {
        case .discard: [.open]
        case .restore: [.discarded]
        }
    }

    /// The participle of the action, such as `discarded`.
    package var participle: String {
        switch self {
        case .discard: "discarded"
        case .restore: "brought back"
        }
    }
}
