/// What a replay would do: what goes where, and what stays for which reason.
package struct ReplayPlan: Sendable {
    package struct Item: Hashable, Sendable {
        package var letter: LetterView
        package var target: String
        /// How often the record will have been replayed then.
        package var replays: Int
    }

    /// Why a letter is not replayed. All but the first five give way to `force`.
    package enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The letter does not say which topic it came from.
        case noSource = "no_source"
        case targetMissing = "target_missing"
        case targetNotAllowed = "target_not_allowed"
        /// The letter is gone from its topic, or the value that it only points at is gone from the record's.
        case gone
        /// The target does not take records of this size.
        case tooLarge = "too_large"
        case alreadyReplayed = "already_replayed"
        case discarded
        /// It has come back from that many replays already.
        case replayedTooOften = "replayed_too_often"
        /// Its worker says that a replay cannot help: mend it with `edit`.
        case cannotHelp = "cannot_help"

        package var sentence: String {
            switch self {
            case .noSource: "does not say which topic it came from; name one with --to"
            case .targetMissing: "the topic it came from is not in this cluster"
            case .targetNotAllowed: "the target is none that may be replayed to"
            case .gone: "is gone from its topic, or its value is"
            case .tooLarge: "is larger than the target takes"
            case .alreadyReplayed: "has been replayed before"
            case .discarded: "has been discarded"
            case .replayedTooOften: "has been replayed too often and died each time"
            case .cannotHelp: "cannot be helped by a replay; mend it with 'edit'"
            }
        }

        package var yieldsToForce: Bool {
            switch self {
            case .noSource, .targetMissing, .targetNotAllowed, .gone, .tooLarge: false
            case .alreadyReplayed, .discarded, .replayedTooOften, .cannotHelp: true
            }
        }
    }

    package var items: [Item] = []
    package var refusals: [(letter: LetterView, refusal: Refusal)] = []
    /// Letters that were chosen and are beyond the maximum.
    package var beyondMaximum = 0

    package init() {}

    /// What would go where, by topic.
    package var targets: [String: Int] {
        Dictionary(self.items.map { ($0.target, 1) }, uniquingKeysWith: +)
    }

    package var refusalCounts: [Refusal: Int] {
        Dictionary(self.refusals.map { ($0.refusal, 1) }, uniquingKeysWith: +)
    }

    /// Of what would go: letters whose worker says that something must be mended first.
    package var needingFix: Int { self.items.count { $0.letter.replayable == "after_fix" } }

    /// Of what would go: records older than this, which a worker's deadline may expire at once.
    package func olderThan(_ age: Int64, now: Int64) -> Int {
        self.items.count { now - ($0.letter.first ?? $0.letter.at) > age }
    }
}
