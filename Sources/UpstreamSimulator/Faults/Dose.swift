/// When a fault strikes. What is left out does not limit: an empty dose strikes always.
package struct Dose: Codable, Hashable, Sendable {
    /// From 0, never, to 1, always.
    package var probability: Double?
    /// Only so many more requests are struck.
    package var next: Int?
    /// Only for so long after the switch was set.
    package var forMilliseconds: Int64?

    package init(probability: Double? = nil, next: Int? = nil, forMilliseconds: Int64? = nil) {
        self.probability = probability
        self.next = next
        self.forMilliseconds = forMilliseconds
    }

    package static let always = Dose()

    private enum CodingKeys: String, CodingKey {
        case probability
        case next
        case forMilliseconds = "for_milliseconds"
    }
}

/// A dose in use: how many strikes it has left, and until when.
struct ArmedDose: Sendable {
    private let probability: Double?
    private var left: Int?
    private let end: Int64?

    init(_ dose: Dose, now: Int64) {
        self.probability = dose.probability
        self.left = dose.next
        self.end = dose.forMilliseconds.map { now.addingReportingOverflow($0).partialValue }
    }

    /// Whether the fault strikes now. Draws from `dice` only where chance has a say.
    mutating func strikes(now: Int64, dice: inout Dice) -> Bool {
        if let end, now >= end { return false }
        if let left, left <= 0 { return false }
        if let probability, dice.roll() >= probability { return false }
        self.left = self.left.map { $0 - 1 }
        return true
    }
}
