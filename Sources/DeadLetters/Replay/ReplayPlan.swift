/// What a replay would do: what goes where, and what stays for which reason.
package struct ReplayPlan: Sendable {
    package struct Item: Hashable, Sendable {
        package var letter: LetterView
        package var target: String
        /// How often the record will have been replayed then.
        package var replays: Int
        /// What has been done about the letter before; nil if nothing.
        package var standing: LedgerStanding?

        package init(letter: LetterView, target: String, replays: Int, standing: LedgerStanding? = nil) {
            self.letter = letter
            self.target = target
            self.replays = replays
            self.standing = standing
        }

        /// Whether a replay of the letter has succeeded: its upstream would do its work a second time.
        package var hasSucceeded: Bool { self.standing?.hasSucceeded == true }
    }

    /// Why a letter is not replayed. All but the first six give way to `force`.
    package enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The letter does not say which topic it came from.
        case noSource = "no_source"
        case targetMissing = "target_missing"
        case targetNotAllowed = "target_not_allowed"
        /// The letter is gone from its topic, or the value that it only points at is gone from the record's.
        case gone
        /// The target does not take records of this size.
        case tooLarge = "too_large"
        /// Its replay has succeeded: only `again` lets it go a second time.
        case alreadySucceeded = "already_succeeded"
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
            case .alreadySucceeded: "has been replayed before and has succeeded"
            case .alreadyReplayed: "has been replayed before"
            case .discarded: "has been discarded"
            case .replayedTooOften: "has been replayed too often and died each time"
            case .cannotHelp: "cannot be helped by a replay; mend it with 'edit'"
            }
        }

        /// The option that replays such a letter all the same; nil if none does.
        package var yieldsTo: Option? {
            switch self {
            case .noSource, .targetMissing, .targetNotAllowed, .gone, .tooLarge: nil
            case .alreadySucceeded: .again
            case .alreadyReplayed, .discarded, .replayedTooOften, .cannotHelp: .force
            }
        }

        package enum Option: String, Hashable, Sendable { case force, again }
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

    /// Of what would go: letters whose replay has succeeded already, so that their upstream does its work a second time.
    package var succeededBefore: Int { self.items.count { $0.hasSucceeded } }

    /// Of what would go: letters that have been replayed and have no outcome yet, so that both replays may succeed.
    package var withoutOutcome: Int {
        self.items.count { $0.standing?.state == .replayed && !$0.hasSucceeded }
    }

    /// Of what would go: records older than this, which a worker's deadline may expire at once.
    package func olderThan(_ age: Int64, now: Int64) -> Int {
        self.items.count { now - ($0.letter.first ?? $0.letter.at) > age }
    }
}
