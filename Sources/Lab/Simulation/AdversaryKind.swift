import ServiceKit

/// A kind of harm that a publisher or an operator can do to a fleet, on purpose or by accident, while honest
/// publishers use it.
package enum AdversaryKind: String, CaseIterable, Sendable {
    /// Records for which an upstream that works otherwise has no usable answer: an error, a cut connection,
    /// an HTML page, or an answer beyond the size limit.
    case poison
    /// Many records at once for which no retry can help.
    case malformed
    /// Records whose rejection looks like a fault of the worker's configuration, on a lane that works.
    case suspects
    /// Values that are empty, missing, or as large as the broker's limit.
    case sizes
    /// Keys as large as the broker's limit.
    case longKeys = "long-keys"
    /// Answers that make an outcome larger than the broker's limit.
    case largeAnswers = "large-answers"
    /// Records with timestamps far in the past or the future, and answers that ask a record to wait for
    /// years.
    case farTimes = "far-times"
    /// An endpoint that answers just before the timeout.
    case slow
    /// An endpoint that is down, and more records for it than fit into memory.
    case dead
    /// An endpoint that may be called seldom, and very many records for it.
    case crowd
    /// An account whose credentials are refused.
    case held
    /// An operator changes the group's position and keeps the text of its commit, or stores the commit of
    /// another partition.
    case offsets
    /// The topic gets one more partition.
    case growth
    /// The wall clock of a worker is set forward or back.
    case clocks
    /// Workers are killed.
    case kills
    /// Workers are frozen.
    case freezes
    /// The endpoint that all publishers use is down for a while. For streams, the brokers fail in one of
    /// several ways.
    case outages
    /// Names that were never announced, each record with a new one.
    case invented
    /// A record that kills the process that handles it.
    case deadly
    /// Uploads of SDKs that cannot be read, with every code that there is.
    case badUploads = "bad-uploads"
    /// Uploads that become far larger than they are, or have very many events.
    case bombs
    /// Phones that nobody has seen before, each with ids of its own.
    case inventedPhones = "invented-phones"
    /// Clicks that belong to no phone, and queries that are no clicks.
    case unmatchedClicks = "unmatched-clicks"
    /// One phone with a new event and a new click id in each record.
    case oneClient = "one-client"
    /// The topic is deleted and made again while no worker runs, and the positions that the group has committed stay.
    case madeAnew = "made-anew"
    /// Partitions lose their newest records while no worker runs, as in an unclean leader election, and others are
    /// published in their place.
    case truncated
    /// Records whose calls hang until their timeout, more of them than slots would suffice for.
    case hangs
    /// Publishers write in transactions, and each partition ends with the mark of one.
    case markers
    /// Workers die just after they have parked records, and the tickets arrive later.
    case lateTickets = "late-tickets"
    /// Records that their publisher delays until shortly before the end, more of them than fit into memory.
    case delays

    /// Draws the kinds of harm of one run, at least one.
    static func drawn(from possible: [Self], using random: inout SplitMix64) -> Set<Self> {
        let share = Double.random(in: 0.1...0.5, using: &random)
        var drawn = Set(possible.filter { _ in .random(in: 0..<1, using: &random) < share })
        if let one = possible.randomElement(using: &random) { drawn.insert(one) }
        return drawn
    }

    /// The kinds that only the intake of uploads and clicks can meet.
    package static let ofUploadsAndClicks: Set<AdversaryKind> = [
        .badUploads, .bombs, .inventedPhones, .unmatchedClicks, .oneClient,
    ]

    /// The kinds that an engine of calls can meet.
    package static let ofCalls = allCases.filter {
        !([.invented] + ofCallsByName).contains($0) && !ofUploadsAndClicks.contains($0)
    }

    /// The kinds that an engine of calls meets in storms that name them, and in no others. In a few seeds of a hundred,
    /// calls that hang beside other harm make honest records late. Where a log is made anew or truncated, records get the
    /// names of earlier ones, by which several judges know them.
    package static let ofCallsByName: [AdversaryKind] = [.hangs, .madeAnew, .truncated]

    /// The kinds that consist of harmful records and nothing else: the workers, their upstream and their clocks are well.
    static let ofRecords: Set<AdversaryKind> = [
        .poison, .malformed, .suspects, .sizes, .longKeys, .largeAnswers, .farTimes,
    ]

    /// The kinds that an engine of streams can meet.
    package static let ofStreams: [AdversaryKind] = [
        .malformed, .sizes, .longKeys, .farTimes, .offsets, .growth, .clocks, .kills, .freezes, .outages,
        .invented, .deadly,
    ]

    /// The kinds that an engine of streams can meet, whatever its tasks are.
    package static var ofStreamsAndIntake: [AdversaryKind] {
        self.ofStreams + self.allCases.filter { self.ofUploadsAndClicks.contains($0) }
    }

    /// The kinds that the intake can meet.
    package static let ofIntake: [AdversaryKind] = [
        .sizes, .farTimes, .kills, .freezes, .badUploads, .bombs, .inventedPhones, .unmatchedClicks,
        .oneClient,
    ]
}
