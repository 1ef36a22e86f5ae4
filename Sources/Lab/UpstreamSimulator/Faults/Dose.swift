/// The requests that a fault strikes. A limit that is nil does not apply: an empty dose strikes every
/// request.
package struct Dose: Codable, Hashable, Sendable {
    /// The probability for each request, from 0 (never) to 1 (always).
    package var probability: Double?
    /// The number of requests that are struck before the fault ends.
    package var next: Int?
    /// The time after the fault was set at which it ends, in milliseconds.
    package var forMilliseconds: Int64?

    package init(probability: Double? = nil, next: Int? = nil, forMilliseconds: Int64? = nil) {
        self.probability = probability
        self.next = next
        self.forMilliseconds = forMilliseconds
    }

    /// The dose that strikes every request.
    package static let always = Dose()

    private enum CodingKeys: String, CodingKey {
        case probability
        case next
        case forMilliseconds = "for_milliseconds"
    }
}

/// A dose in use: the number of strikes that are left, and the time at which it ends.
struct ArmedDose: Sendable {
    private let probability: Double?
    private var left: Int?
    private let end: Int64?

    init(_ dose: Dose, now: Int64) {
        self.probability = dose.probability
        self.left = dose.next
        self.end = dose.forMilliseconds.map { now.addingReportingOverflow($0).partialValue }
    }

    /// Whether the fault strikes now. A random number is drawn only if the dose has a probability.
    mutating func strikes(now: Int64, dice: inout Dice) -> Bool {
        if let end, now >= end { return false }
        if let left, left <= 0 { return false }
        if let probability, dice.roll() >= probability { return false }
        self.left = self.left.map { $0 - 1 }
        return true
    }
}
