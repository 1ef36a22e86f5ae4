import WorkerKit

/// What somebody does to a fleet, out of malice or by bad luck, beside publishers who do nobody harm.
package enum AdversaryKind: String, CaseIterable, Sendable {
    /// Records for which a healthy upstream has no answer: an error, a cut, a page, or more than we take.
    case poison
    /// Floods of records that no retry can help.
    case malformed
    /// Records whose rejection looks like a fault of our configuration, on a lane that is well.
    case suspects
    /// Values that are empty, missing, or as large as the broker's limit.
    case sizes
    /// Keys as large as the broker's limit.
    case longKeys = "long-keys"
    /// Answers that make an outcome larger than the broker's limit.
    case largeAnswers = "large-answers"
    /// Records from the past and the future, and answers that ask a record to wait for years.
    case farTimes = "far-times"
    /// An endpoint that answers at the last moment.
    case slow
    /// An endpoint that is down, and records for it that fill any memory.
    case dead
    /// An endpoint that may be called seldom, and a crowd of records for it.
    case crowd
    /// An account whose credentials are refused.
    case held
    /// The group is moved and the text of its commit left as it was, or a commit is left behind by another partition.
    case offsets
    /// The topic gets one more partition.
    case growth
    /// The wall clock of a worker is set.
    case clocks
    /// Workers are killed.
    case kills
    /// Workers stand still.
    case freezes
    /// The endpoint that everybody uses is down for a while; of streams, the brokers are in one way or another.
    case outages
    /// Names that nobody has announced, each of them new.
    case invented
    /// A record that kills the process that looks into it.
    case deadly

    /// Draws what happens in one storm: at least one kind.
    static func drawn(from possible: [Self], using random: inout SplitMix64) -> Set<Self> {
        let share = Double.random(in: 0.1...0.5, using: &random)
        var drawn = Set(possible.filter { _ in .random(in: 0..<1, using: &random) < share })
        if let one = possible.randomElement(using: &random) { drawn.insert(one) }
        return drawn
    }

    /// What can be done to an engine of calls.
    package static let ofCalls = allCases.filter { ![.invented, .deadly].contains($0) }

    /// What can be done to an engine of streams.
    package static let ofStreams: [AdversaryKind] = [
        .malformed, .sizes, .longKeys, .farTimes, .offsets, .growth, .clocks, .kills, .freezes, .outages,
        .invented, .deadly,
    ]
}
