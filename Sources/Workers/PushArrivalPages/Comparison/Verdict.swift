/// The answer to the question whether a variant does better than another one.
enum Verdict: Hashable, Sendable {
    /// The variant's share is greater.
    case better
    /// The variant's share is smaller.
    case worse
    /// The shares differ by less than matters.
    case same
    /// The interval contains too much. With so many more devices it will be narrow enough for one of the
    /// other answers, if the shares stay as they are; nil if the number is beyond `mostDevices`.
    case undecided(moreDevices: Int64?)
    /// The variants cannot be compared yet.
    case waiting(Reason)

    /// The reason why variants cannot be compared yet.
    enum Reason: String, Hashable, Sendable {
        /// The sending of one of them is not reported, or only partly.
        case sending
        /// One of them has too few devices that were reached, or that were not.
        case fewDevices = "few-devices"
        /// One of them has had more time to be answered, and they are still counting.
        case unequalAge = "unequal-age"
    }

    /// The greatest number of devices that is named.
    static let mostDevices = 1e9
    /// The times since sending may differ by this share of the shorter one.
    private static let ageTolerance: Int64 = 100

    /// Judges a variant against the base.
    ///
    /// - Parameters:
    ///   - interval: the interval of their difference; nil if there is none.
    ///   - margin: the smallest difference of the shares that matters.
    ///   - now: the time of the counts, in milliseconds since 1970.
    init(
        _ base: Variant,
        _ variant: Variant,
        measure: Measure,
        interval: SequentialInterval?,
        margin: Double,
        now: Int64
    ) {
        guard measure == .openedOfArrived || (base.isSendingKnown && variant.isSendingKnown) else {
            self = .waiting(.sending)
            return
        }
        guard let interval else {
            self = .waiting(.fewDevices)
            return
        }
        guard Self.haveEqualAge(base, variant, now: now) else {
            self = .waiting(.unequalAge)
            return
        }
        let distance = abs(interval.difference)
        if distance > interval.halfWidth {
            self = interval.difference > 0 ? .better : .worse
        } else if distance + interval.halfWidth <= margin {
            self = .same
        } else {
            // A half-width below the distance decides that there is a difference. One below the rest of the
            // margin decides that there is none that matters. The greater of the two comes first.
            let more = interval.moreDevices(for: max(distance, margin - distance))
            self = .undecided(moreDevices: more <= Self.mostDevices ? Self.rounded(more) : nil)
        }
    }

    /// Returns whether the devices of both variants have had the same time to answer. A variant that was sent
    /// an hour earlier is ahead for an hour, whatever its text.
    private static func haveEqualAge(_ one: Variant, _ other: Variant, now: Int64) -> Bool {
        if one.isComplete, other.isComplete { return true }
        guard let first = one.sentMS, let second = other.sentMS else { return false }
        let age = now.subtractingReportingOverflow(max(first, second))
        let gap = max(first, second).subtractingReportingOverflow(min(first, second))
        return !age.overflow && !gap.overflow && gap.partialValue <= age.partialValue / Self.ageTolerance
    }

    /// Returns a number rounded up to two digits: the estimate is not better than that.
    private static func rounded(_ number: Double) -> Int64 {
        var unit = 1.0
        while number / unit > 100 { unit *= 10 }
        return Int64((number / unit).rounded(.up) * unit)
    }

    /// The word for programs.
    var word: String {
        switch self {
        case .better: "better"
        case .worse: "worse"
        case .same: "same"
        case .undecided: "undecided"
        case .waiting: "waiting"
        }
    }
}
