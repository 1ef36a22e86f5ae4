import WireFormats

/// The variants of a campaign side by side, each compared with the base.
struct Comparison: Sendable {
    /// A variant, compared with the base.
    struct Pair: Sendable {
        let variant: Variant
        /// The interval of the variant's share minus the base's; nil if one of them has too few devices.
        let interval: SequentialInterval?
        let verdict: Verdict
    }

    /// All variants of the campaign, the first sent first.
    let known: [Variant]
    /// The variants that are compared, in the same order.
    let chosen: [Variant]
    /// The variant with which the others are compared; nil if there is no variant.
    let base: Variant?
    let pairs: [Pair]
    /// A sentence for each field of the question that names nothing.
    let faults: [String]

    /// The greatest number of variants that are compared at once.
    static let limit = 8
    /// The probability with which any statement about the variants is wrong, at any look.
    static let errorRate = 0.05

    /// Compares the variants that a question names, or the last ones that were sent.
    ///
    /// - Parameter now: the time of the counts, in milliseconds since 1970.
    init(_ asked: ComparisonQuery, board: [PushStatisticsRecord], now: Int64) {
        let known = asked.campaign.map { Variant.all(in: board, campaign: $0, app: asked.app) } ?? []
        let wanted = Set(asked.variants)
        let named = known.filter { wanted.contains($0.messageID) }
        let chosen = wanted.isEmpty ? Array(known.suffix(Self.limit)) : Array(named.prefix(Self.limit))
        let base = asked.base.flatMap { id in chosen.first { $0.messageID == id } }
        self.known = known
        self.chosen = chosen
        self.base = base ?? chosen.first
        self.faults = Self.faults(asked, chosen: chosen, named: named.count, wanted: wanted.count)
        self.pairs = Self.pairs(chosen, base: self.base, asked, now: now)
    }

    private static func faults(
        _ asked: ComparisonQuery,
        chosen: [Variant],
        named: Int,
        wanted: Int
    ) -> [String] {
        guard asked.campaign != nil else { return [] }
        var faults: [String] = []
        if named < wanted { faults.append("The field variant names a message that the campaign has not.") }
        if wanted > self.limit { faults.append("The field variant may occur \(self.limit) times.") }
        if let base = asked.base, !chosen.contains(where: { $0.messageID == base }) {
            faults.append("The field base names none of the variants.")
        }
        return faults
    }

    private static func pairs(
        _ chosen: [Variant],
        base: Variant?,
        _ asked: ComparisonQuery,
        now: Int64
    ) -> [Pair] {
        guard let base else { return [] }
        let others = chosen.filter { $0.messageID != base.messageID }
        // Each of several comparisons may be wrong less often, so that all of them together are right
        // (Bonferroni).
        let errorRate = Self.errorRate / Double(max(1, others.count))
        return others.map { variant in
            var interval: SequentialInterval?
            if let one = base.count(asked.measure), let two = variant.count(asked.measure) {
                interval = SequentialInterval(one, two, errorRate: errorRate)
            }
            return Pair(
                variant: variant,
                interval: interval,
                verdict: Verdict(
                    base,
                    variant,
                    measure: asked.measure,
                    interval: interval,
                    margin: asked.margin / 100,
                    now: now
                )
            )
        }
    }
}
