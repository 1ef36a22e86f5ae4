import WebPages
import WireFormats

/// The values of the page that compares the variants of a campaign.
struct ComparisonModel: Sendable {
    /// A link to the comparison of a campaign.
    struct Campaign: Sendable {
        var name: String
        var address: String
        var note: String
    }

    /// A variant in the form.
    struct Choice: Sendable {
        var number: Int
        var id: String
        var name: String
        var isChosen: Bool
        var isBase: Bool
    }

    /// A variant in the table.
    struct Row: Sendable {
        var name: String
        var state: String
        var sent: String?
        var share: String
        var counts: String
        /// The comparison with the base; nil for the base itself.
        var pair: Pair?
    }

    /// The comparison of a variant with the base.
    struct Pair: Sendable {
        /// The difference in percentage points; nil if there is no interval.
        var difference: String?
        var interval: String
        var picture: IntervalPicture?
        var verdictClass: String
        var verdict: String
        var sentence: String
    }

    var frame: Frame
    var campaign: String
    var campaignChoices: [String]
    var app: String
    var measures: [ListModel.Choice.Option]
    var margin: String
    var hasChoices: Bool
    var choices: [Choice]
    var faults: [String]
    var hasCampaigns: Bool
    var campaigns: [Campaign]
    var heading: String
    var hasRows: Bool
    var rows: [Row]
    var shareHeading: String
    var caption: String
    /// The sentence that is shown instead of a table; nil if there is one.
    var nothing: String?
    var leftOut: String?

    /// The greatest number of campaigns, and of variants in the form.
    private static let listLimit = 50

    /// Creates the model.
    ///
    /// - Parameters:
    ///   - board: all statistics that are shown, the last update first.
    ///   - now: the wall-clock time in milliseconds since 1970.
    init(_ board: [PushStatisticsRecord], _ query: FormFields, frame: Frame, now: Int64) {
        let asked = ComparisonQuery(query)
        let comparison = Comparison(asked, board: board, now: now)
        self.frame = frame
        // A page that was half filled in must not be loaded anew.
        self.frame.slowReload = nil
        self.campaign = String((asked.campaign ?? "").prefix(MessageFilter.longest))
        self.app = String((asked.app ?? "").prefix(MessageFilter.longest))
        self.measures = Measure.allCases.map {
            ListModel.Choice.Option(value: $0.rawValue, label: $0.label, isChosen: $0 == asked.measure)
        }
        self.margin = VerdictText.number(asked.margin)
        self.faults = asked.faults + comparison.faults
        self.campaigns = asked.campaign == nil ? Self.campaigns(board) : []
        self.hasCampaigns = !self.campaigns.isEmpty
        self.campaignChoices = self.campaigns.map(\.name)
        self.choices = Self.choices(comparison)
        self.hasChoices = self.choices.count > 1
        self.heading =
            asked.campaign.map { "Variants of \(SafeText.line($0, limit: 120))" } ?? "Compare variants"
        self.rows = comparison.chosen.count < 2 ? [] : Self.rows(comparison, asked)
        self.hasRows = !self.rows.isEmpty
        self.shareHeading = asked.measure.label
        self.caption = "Each variant, and its difference from the base in percentage points"
        self.nothing = self.hasRows ? nil : Self.nothing(comparison, asked, hasCampaigns: self.hasCampaigns)
        let left = comparison.known.count - comparison.chosen.count
        self.leftOut = left > 0 ? "\(Shown.count(left, "message")) of the campaign not compared here." : nil
    }

    private static func nothing(_ comparison: Comparison, _ asked: ComparisonQuery, hasCampaigns: Bool)
        -> String
    {
        guard asked.campaign != nil else {
            return hasCampaigns
                ? "The variants of a campaign are its messages with different ids. Choose a campaign:"
                : "No campaign has two messages yet. A variant is a message of its own, with the campaign's id."
        }
        return comparison.known.isEmpty
            ? "The dashboard has no message of that campaign."
            : "A comparison needs two variants; each is a message of its own, with the campaign's id."
    }

    /// Returns the campaigns that have several messages, the last update first.
    private static func campaigns(_ board: [PushStatisticsRecord]) -> [Campaign] {
        CampaignGroup.groups(of: board).lazy.compactMap { group in
            guard let address = group.comparison, group.name.utf8.count <= MessageFilter.longest else {
                return nil
            }
            return Campaign(
                name: SafeText.line(group.name, limit: 120),
                address: address,
                note: Shown.count(group.messages.count, "message")
            )
        }
        .prefix(Self.listLimit).map { $0 }
    }

    private static func choices(_ comparison: Comparison) -> [Choice] {
        let chosen = Set(comparison.chosen.map(\.messageID))
        return comparison.known.suffix(Self.listLimit)
            .filter { $0.messageID.utf8.count <= MessageFilter.longest * 4 }.enumerated()
            .map { number, variant in
                Choice(
                    number: number,
                    id: variant.messageID,
                    name: SafeText.line(variant.messageID, limit: 80),
                    isChosen: chosen.contains(variant.messageID),
                    isBase: variant.messageID == comparison.base?.messageID
                )
            }
    }

    private static func rows(_ comparison: Comparison, _ asked: ComparisonQuery) -> [Row] {
        let picture = IntervalPicture.Scale(
            comparison.pairs.compactMap(\.interval),
            margin: asked.margin / 100
        )
        return comparison.chosen.map { variant in
            let pair = comparison.pairs.first { $0.variant.messageID == variant.messageID }
            let count = variant.count(asked.measure)
            return Row(
                name: SafeText.line(variant.messageID, limit: 120),
                state: Self.state(variant),
                sent: variant.sentMS.map { "sent \(Shown.time($0))" },
                share: Share.text(count?.share),
                counts: count.map {
                    "\(Shown.number(Int($0.reached))) of \(Shown.number(Int($0.devices)))"
                } ?? "not known from both sides",
                pair: pair.map { Pair($0, margin: asked.margin, scale: picture) }
            )
        }
    }

    private static func state(_ variant: Variant) -> String {
        let state = variant.isComplete ? "complete" : "still counting"
        return variant.messages > 1 ? "\(state) · \(Shown.number(variant.messages)) messages" : state
    }
}

extension ComparisonModel.Pair {
    fileprivate init(_ pair: Comparison.Pair, margin: Double, scale: IntervalPicture.Scale) {
        self.difference = pair.interval.map { VerdictText.points($0.difference) }
        self.interval =
            pair.interval.map { "\(VerdictText.points($0.low)) to \(VerdictText.points($0.high))" } ?? ""
        self.picture = pair.interval.map { IntervalPicture($0, scale) }
        self.sentence = VerdictText.sentence(pair.verdict, margin: margin)
        switch pair.verdict {
        case .better: (self.verdictClass, self.verdict) = ("complete", "better")
        case .worse: (self.verdictClass, self.verdict) = ("worse", "worse")
        case .same: (self.verdictClass, self.verdict) = ("", "same")
        case .undecided: (self.verdictClass, self.verdict) = ("open", "undecided")
        case .waiting: (self.verdictClass, self.verdict) = ("open", "waiting")
        }
    }
}

extension CampaignGroup {
    /// The address of the comparison of the campaign's variants; nil if there are no two of them, or if the
    /// address would be too long.
    var comparison: String? {
        guard !self.name.trimmed.isEmpty, self.name.utf8.count <= 2_000,
            let first = self.messages.first(where: { $0.window == .cohort })?.messageID,
            self.messages.contains(where: { $0.window == .cohort && $0.messageID != first })
        else { return nil }
        return ComparisonQuery.address(campaign: self.name, app: nil)
    }
}
