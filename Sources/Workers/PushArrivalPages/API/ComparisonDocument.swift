import WireFormats

/// The answer of the read API about the variants of a campaign.
struct ComparisonDocument: Encodable, Sendable {
    struct OneVariant: Encodable, Sendable {
        var messageId: String
        /// The messages with this id.
        var messages: Int
        var complete: Bool
        var sentAt: String?
        var accepted: Int64
        var arrived: Int64
        var opened: Int64
        /// The share by the measure; nil if there is none.
        var share: Double?
    }

    struct Pair: Encodable, Sendable {
        var messageId: String
        /// The variant's share minus the base's, with the ends of its interval; nil if there is no interval.
        var difference: Double?
        var low: Double?
        var high: Double?
        /// `better`, `worse`, `same`, `undecided` or `waiting`.
        var verdict: String
        /// With `waiting`: the reason.
        var reason: String?
        /// With `undecided`: about so many more devices decide; nil if they are too many to name.
        var moreDevices: Int64?
        /// The verdict in words.
        var sentence: String
    }

    var campaign: String
    var measure: String
    /// The probability with which all intervals, at all looks, are right.
    var level: Double
    /// The smallest difference of the shares that matters, from 0 to 1.
    var margin: Double
    /// The message id of the variant with which the others are compared.
    var base: String
    var variants: [OneVariant]
    var comparisons: [Pair]
    /// The variants of the campaign that are not compared.
    var leftOut: Int

    init(_ comparison: Comparison, _ asked: ComparisonQuery) {
        self.campaign = asked.campaign ?? ""
        self.measure = asked.measure.rawValue
        self.level = 1 - Comparison.errorRate
        self.margin = asked.margin / 100
        self.base = comparison.base?.messageID ?? ""
        self.variants = comparison.chosen.map {
            OneVariant(
                messageId: $0.messageID,
                messages: $0.messages,
                complete: $0.isComplete,
                sentAt: $0.sentMS.map { RFC3339.string($0) },
                accepted: $0.accepted,
                arrived: $0.arrived,
                opened: $0.opened,
                share: $0.count(asked.measure)?.share
            )
        }
        self.comparisons = comparison.pairs.map { Pair($0, margin: asked.margin) }
        self.leftOut = comparison.known.count - comparison.chosen.count
    }
}

extension ComparisonDocument.Pair {
    fileprivate init(_ pair: Comparison.Pair, margin: Double) {
        self.messageId = pair.variant.messageID
        self.difference = pair.interval?.difference
        self.low = pair.interval?.low
        self.high = pair.interval?.high
        self.verdict = pair.verdict.word
        self.sentence = VerdictText.sentence(pair.verdict, margin: margin)
        switch pair.verdict {
        case .waiting(let reason): self.reason = reason.rawValue
        case .undecided(let more): self.moreDevices = more
        case .better, .worse, .same: break
        }
    }
}
