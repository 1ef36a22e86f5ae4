/// The plan of a replay: which letter goes to which topic, and which letters are refused for which reason.
package struct ReplayPlan: Sendable {
    /// A letter that will be replayed.
    package struct Item: Hashable, Sendable {
        /// The letter as the index knew it when the plan was made.
        package var letter: LetterView
        /// The topic that the record goes to.
        package var target: String
        /// How often the record will have been replayed in its life, this time included.
        package var replays: Int
        /// The ledger's latest entry about the letter; nil if there is none.
        package var standing: LedgerStanding?

        /// Creates an item. `standing` is the ledger's entry when the plan is made.
        package init(letter: LetterView, target: String, replays: Int, standing: LedgerStanding? = nil) {
            self.letter = letter
            self.target = target
            self.replays = replays
            self.standing = standing
        }

        /// Whether an earlier replay of the letter's record has succeeded, so that the upstream would do its work a
        /// second time.
        package var hasSucceeded: Bool { self.standing?.hasSucceeded == true }
    }

    /// The reason why a letter is not replayed. `yieldsTo` names the option that overrides it. The raw
    /// value is the word in JSON and in the audit trail.
    package enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The letter does not name the topic that its record came from.
        case noSource = "no_source"
        /// The cluster does not have the target topic.
        case targetMissing = "target_missing"
        /// The target topic is the tool's own, holds dead letters, or is not allowed by
        /// `DeadLetterSettings.targets`.
        case targetNotAllowed = "target_not_allowed"
        /// The broker has deleted the letter; or the letter only points at its record, and the value there is
        /// deleted or another one.
        case gone
        /// The broker or the target topic does not accept records of this size.
        case tooLarge = "too_large"
        /// A replay of the letter's record has succeeded. Only `again` allows another one.
        case alreadySucceeded = "already_succeeded"
        /// The letter was replayed, and that replay has not succeeded or has no outcome yet.
        case alreadyReplayed = "already_replayed"
        /// A user has put the letter aside for good.
        case discarded
        /// The letter is not discarded, so there is nothing to bring back.
        case notDiscarded = "not_discarded"
        /// The record has died again after as many replays as the limit allows.
        case replayedTooOften = "replayed_too_often"
        /// The worker wrote into the letter that no replay can succeed. The `edit` command can send another
        /// value.
        case cannotHelp = "cannot_help"
        /// The script of an edit changes nothing of the message.
        case unchanged
        /// The script of an edit cannot be applied, or the changed message cannot be sent.
        case notMended = "not_mended"

        /// The reason as the end of a sentence whose subject is the letter.
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
            case .notDiscarded: "has not been discarded"
            case .replayedTooOften: "has been replayed too often and died each time"
            case .cannotHelp: "cannot be helped by a replay; mend it with 'edit'"
            case .unchanged: "has nothing that the script changes"
            case .notMended: "cannot be changed so, or cannot be sent then"
            }
        }

        /// The option that replays such a letter all the same; nil if there is none.
        package var yieldsTo: Option? {
            switch self {
            case .noSource, .targetMissing, .targetNotAllowed, .gone, .tooLarge, .unchanged, .notMended,
                .notDiscarded:
                nil
            case .alreadySucceeded: .again
            case .alreadyReplayed, .discarded, .replayedTooOften, .cannotHelp: .force
            }
        }

        /// An option of the replay command that overrides refusals.
        package enum Option: String, Hashable, Sendable { case force, again }
    }

    /// The letters that will be replayed, the oldest first.
    package var items: [Item] = []
    /// The letters that will not be replayed.
    package var refusals: [(letter: LetterView, refusal: Refusal)] = []
    /// The number of chosen letters beyond the maximum of one command. They are neither planned nor refused.
    package var beyondMaximum = 0

    /// Creates a plan without letters.
    package init() {}

    /// The number of letters that go to each topic.
    package var targets: [String: Int] {
        Dictionary(self.items.map { ($0.target, 1) }, uniquingKeysWith: +)
    }

    /// The number of letters that are refused for each reason.
    package var refusalCounts: [Refusal: Int] {
        Dictionary(self.refusals.map { ($0.refusal, 1) }, uniquingKeysWith: +)
    }

    /// The number of planned letters whose worker says that something must be fixed before a replay.
    package var needingFix: Int {
        self.items.count { $0.letter.replayable == "after_fix" && !$0.hasSucceeded }
    }

    /// The number of planned letters of which a replay has succeeded already, so that the upstream would do
    /// its work a second time.
    package var succeededBefore: Int { self.items.count { $0.hasSucceeded } }

    /// The number of planned letters whose earlier replay has no outcome yet, so that both replays may
    /// succeed.
    package var withoutOutcome: Int {
        self.items.count { $0.standing?.state == .replayed && !$0.hasSucceeded }
    }

    /// Returns the number of planned records that are older than an age. A worker's deadline may let them
    /// expire at once.
    ///
    /// - Parameters:
    ///   - age: in milliseconds, from the first failure, or from the writing of the letter if the first
    ///     failure is unknown.
    ///   - now: in milliseconds since 1970.
    package func olderThan(_ age: Int64, now: Int64) -> Int {
        self.items.count { now - ($0.letter.first ?? $0.letter.at) > age }
    }
}
