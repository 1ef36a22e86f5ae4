import WireFormats

/// One step on the way of a notification from the sender to a person, with the share that is left of the step
/// before.
struct FunnelStep: Hashable, Sendable {
    var name: String
    /// The meaning of the step, in a few words that need no manual.
    var meaning: String
    /// The number of devices that have reached the step.
    var count: Int64
    /// The step before with its count; nil for the first step.
    var before: Before?
    /// The number of devices for which the push service has accepted the notification.
    var accepted: Int64

    struct Before: Hashable, Sendable {
        var name: String
        var count: Int64
    }

    /// Returns the steps from sent to opened, and to converted if there are conversions. `Eligible` is left out if it equals `Accepted`, because no
    /// device is known to lack a service extension. `Shown` is left out if its count is 0, because the app
    /// may not report it.
    static func steps(of statistics: PushStatisticsRecord) -> [FunnelStep] {
        var steps: [FunnelStep] = []
        func add(_ name: String, _ meaning: String, count: Int64) {
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
        add("Sent", "Devices it was meant for", count: statistics.sent)
        add("Accepted", "Taken by the push service", count: statistics.accepted)
        if statistics.eligible != statistics.accepted {
            add("Eligible", "Can report an arrival at all", count: statistics.eligible)
        }
        add("Arrived", "Reported by the device", count: statistics.arrived)
        if statistics.shown > 0 { add("Shown", "Seen on the screen", count: statistics.shown) }
        add("Opened", "Tapped", count: statistics.opened)
        if statistics.converted > 0 { add("Converted", "Did what it was for", count: statistics.converted) }
        return steps
    }

    /// Returns the counts beside the funnel, which are no steps of it: dismissed notifications, and attachments and removed
    /// apps if there are any.
    static func beside(_ statistics: PushStatisticsRecord) -> [FunnelStep] {
        var steps: [FunnelStep] = []
        func add(_ name: String, _ meaning: String, count: Int64, of before: Before, accepted: Int64) {
            steps.append(
                FunnelStep(name: name, meaning: meaning, count: count, before: before, accepted: accepted)
            )
        }
        let accepted = statistics.accepted
        if statistics.attachmentsShown > 0 {
            let shown = Before(name: "shown", count: statistics.shown)
            add(
                "Attachment shown",
                "Its picture or film",
                count: statistics.attachmentsShown,
                of: shown,
                accepted: accepted
            )
        }
        let arrived = Before(name: "arrived", count: statistics.arrived)
        add("Dismissed", "Swiped away", count: statistics.dismissed, of: arrived, accepted: accepted)
        if statistics.unregistered > 0 {
            // None of these devices is among the accepted ones.
            let sent = Before(name: "sent", count: statistics.sent)
            add("Unregistered", "The app was removed", count: statistics.unregistered, of: sent, accepted: 0)
        }
        return steps
    }

    /// The share of the step before; nil for the first step, if the step before has the count 0, and if it is the smaller
    /// one: then it is not all known.
    var shareOfBefore: Double? { self.before.flatMap { Self.share(self.count, of: $0.count) } }
    /// The share of the accepted notifications; nil if none was accepted, and if fewer were, as far as is known.
    var shareOfAccepted: Double? { Self.share(self.count, of: self.accepted) }

    private static func share(_ part: Int64, of whole: Int64) -> Double? {
        part <= whole ? PushStatisticsRecord.rate(part, of: whole) : nil
    }
}
