import WireFormats

/// One step of the way from the sender to a person, and what is left of those who took the step before.
struct FunnelStep: Hashable, Sendable {
    var name: String
    /// What it means, in a sentence for whoever reads no manual.
    var meaning: String
    var count: Int64
    /// The step before, and how many took it; nil for the first.
    var before: Before?
    var accepted: Int64

    struct Before: Hashable, Sendable {
        var name: String
        var count: Int64
    }

    /// From all that were sent to those that were opened. A step of which nothing is known is left out: nobody is
    /// known to be without a service extension, or the app does not tell what was shown.
    static func steps(of statistics: PushStatisticsRecord) -> [FunnelStep] {
        var steps: [FunnelStep] = []
        func add(_ name: String, _ meaning: String, _ count: Int64) {
            let before = steps.last.map { Before(name: $0.name.lowercased(), count: $0.count) }
            steps.append(
                FunnelStep(
                    name: name,
                    meaning: meaning,
                    count: count,
                    before: before,
                    accepted: statistics.accepted
                )
            )
        }
        add("Sent", "Devices it was meant for", statistics.sent)
        add("Accepted", "Taken by the push service", statistics.accepted)
        if statistics.eligible != statistics.accepted {
            add("Eligible", "Can report an arrival at all", statistics.eligible)
        }
        add("Arrived", "Reported by the device", statistics.arrived)
        if statistics.shown > 0 { add("Shown", "Seen on the screen", statistics.shown) }
        add("Opened", "Tapped", statistics.opened)
        return steps
    }

    /// Those who were told and wanted to hear no more: a way out, and no step of the way.
    static func dismissed(of statistics: PushStatisticsRecord) -> FunnelStep {
        FunnelStep(
            name: "Dismissed",
            meaning: "Swiped away",
            count: statistics.dismissed,
            before: Before(name: "arrived", count: statistics.arrived),
            accepted: statistics.accepted
        )
    }

    var shareOfBefore: Double? { self.before.flatMap { PushStatisticsRecord.rate(self.count, of: $0.count) } }
    var shareOfAccepted: Double? { PushStatisticsRecord.rate(self.count, of: self.accepted) }
}
