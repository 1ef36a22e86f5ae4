import DeadLetters

/// The plan of a replay as JSON.
struct ReplayPlanForm: Encodable {
    var wouldReplay: Int
    var targets: [String: Int]
    var refusals: [String: Int]
    var beyondMaximum: Int
    var needingFix: Int
    /// The number of planned letters of which a replay has succeeded already.
    var succeededBefore: Int
    /// The number of planned letters whose earlier replay has no outcome yet.
    var withoutOutcome: Int
    var letters: [String]

    init(_ plan: ReplayPlan) {
        self.wouldReplay = plan.items.count
        self.targets = plan.targets
        self.refusals = Dictionary(plan.refusalCounts.map { ($0.key.rawValue, $0.value) }) { $1 }
        self.beyondMaximum = plan.beyondMaximum
        self.needingFix = plan.needingFix
        self.succeededBefore = plan.succeededBefore
        self.withoutOutcome = plan.withoutOutcome
        self.letters = plan.items.map { "\($0.letter.id)" }
    }
}
