import DeadLetters
import WireFormats

/// The plan of a replay on a terminal.
struct ReplayPlanPage {
    private let plan: ReplayPlan
    private let now: Int64
    private let isEdited: Bool

    /// The number of letters, and of reasons, that are listed.
    private static let shownLimit = 10
    /// The age in milliseconds beyond which the page warns of a record: 7 days, the default of
    /// `worker.deadline`; the DeviceCheck worker's own default is 5 minutes.
    private static let deadline: Int64 = 7 * 86_400_000

    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - isEdited: Whether other values are sent than those that have died.
    init(_ plan: ReplayPlan, now: Int64, isEdited: Bool = false) {
        self.plan = plan
        self.now = now
        self.isEdited = isEdited
    }

    /// All lines of the page.
    var lines: [String] {
        guard !self.plan.items.isEmpty || !self.plan.refusals.isEmpty else { return ["Nothing matches."] }
        var lines = ["Would replay \(Words.count(self.plan.items.count, "letter")):"]
        lines += self.plan.targets.sorted { $0.key < $1.key }.map {
            "  \($0.value) to \(SafeText.line($0.key))"
        }
        let reasons = Dictionary(self.plan.items.map { ($0.letter.group.cause, 1) }, uniquingKeysWith: +)
        lines += reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.shownLimit).map {
            "  \($0.value) because of \(SafeText.line($0.key))"
        }
        for item in self.plan.items.prefix(Self.shownLimit) {
            let before = item.standing.map { item.hasSucceeded ? ", succeeded before" : ", \($0.state.word)" }
            lines.append(
                "  \(item.letter.id) → \(SafeText.line(item.target)), replay \(item.replays) of its life\(before ?? "")"
            )
        }
        if self.plan.items.count > Self.shownLimit {
            lines.append("  … and \(self.plan.items.count - Self.shownLimit) more")
        }
        lines += self.refusals + self.warnings
        if self.plan.beyondMaximum > 0 {
            lines.append("\(Words.count(self.plan.beyondMaximum, "letter")) beyond --max would be left.")
        }
        if !self.isEdited, self.plan.needingFix > 0 {
            lines.append(
                "\(Words.count(self.plan.needingFix, "letter")) will die again unless something has been mended first: see 'show'."
            )
        }
        let old = self.plan.olderThan(Self.deadline, now: self.now)
        if old > 0 {
            lines.append(
                "\(Words.count(old, "letter")) first failed more than 7 days ago: a worker's deadline may expire the record. --timestamp now begins anew."
            )
        }
        return lines
    }

    /// A line for each reason for which letters are refused.
    var refusals: [String] {
        self.plan.refusalCounts.sorted { $0.key.rawValue < $1.key.rawValue }.map { refusal, count in
            let option = refusal.yieldsTo.map { " (--\($0.rawValue))" } ?? ""
            return "Not \(Words.count(count, "letter")): \(refusal.sentence)\(option)."
        }
    }

    /// Warnings about letters that were replayed before, because their upstream may do the work a second
    /// time.
    var warnings: [String] {
        var lines: [String] = []
        if self.plan.succeededBefore > 0 {
            lines.append(
                "\(Words.count(self.plan.succeededBefore, "letter")) replayed before with success: the upstream does the work a second time."
            )
        }
        if self.plan.withoutOutcome > 0 {
            lines.append(
                "\(Words.count(self.plan.withoutOutcome, "letter")) replayed before without an outcome so far: both replays may succeed."
            )
        }
        return lines
    }
}
