import WebPages
import WireFormats

/// The values of the page of one message.
struct MessageModel: Sendable {
    /// A row of the funnel.
    struct Step: Sendable {
        var name: String
        var meaning: String
        var count: String
        /// The length of the bar, in units of `FunnelBar`.
        var bar: Int
        /// The length of the bar of the step before, in units of `FunnelBar`; 0 if it is not longer.
        var ground: Int
        var ofBefore: String
        /// The name of the step before, as `of sent`; nil for the first step.
        var beforeName: String?
        var ofAccepted: String
    }

    /// A row of a table of counts.
    struct Line: Sendable {
        var label: String
        var count: String
        var share: String
    }

    /// A row of the table of events that are counted apart.
    struct Aside: Sendable {
        var label: String
        var count: String
        var meaning: String
        /// `yes` if these events are also in the numbers of the funnel, otherwise `no`.
        var isCounted: String
    }

    /// A property of the message.
    struct Fact: Sendable {
        var label: String
        var value: String
        /// The value for machines, as the `datetime` of the `time` element; nil if the value is not a time.
        var machine: String?
    }

    /// The lag curve with its table.
    struct Curve: Sendable {
        var curve: LagCurve
        /// The description of the curve for screen readers.
        var words: String
        var rows: [Line]
        var note: String
    }

    var frame: Frame
    var heading: String
    var origin: String
    /// The address of the comparison with the other messages of the campaign; nil if it names none.
    var comparison: String?
    var stateClass: String
    var state: String
    var sentences: [String]

    var arrivalRate: String
    var eligibleRate: String?
    var openRate: String
    var clickRate: String
    var median: String
    var ninetieth: String

    var steps: [Step]
    /// The counts beside the funnel.
    var beside: [Step]
    var curve: Curve?
    /// The sentence that is shown if there is no curve.
    var noCurve: String
    /// The charts of arrivals since sending.
    var since: [SinceSending.Part]
    var hasReasons: Bool
    var reasons: [Line]
    var asides: [Aside]
    var facts: [Fact]

    init(_ statistics: PushStatisticsRecord, frame: Frame, now: Int64) {
        self.frame = frame
        self.heading = statistics.key.title
        self.origin = [statistics.campaignID, statistics.appBundle, statistics.provider].filter {
            !$0.isEmpty
        }
        .map { SafeText.line($0, limit: 100) }.joined(separator: " · ")
        let campaign = statistics.campaignID
        if !campaign.trimmed.isEmpty, campaign.utf8.count <= 2_000, statistics.window == .cohort {
            self.comparison = ComparisonQuery.address(
                campaign: campaign,
                app: statistics.appBundle.isEmpty ? nil : statistics.appBundle
            )
        }
        self.stateClass = statistics.isComplete ? "complete" : "counting"
        self.state = statistics.isComplete ? "complete" : "still counting"
        self.sentences = Self.sentences(statistics)
        self.arrivalRate = Share.text(statistics.knownArrivalRate)
        self.eligibleRate =
            statistics.eligible == statistics.accepted
            ? nil : Share.text(statistics.knownEligibleRate)
        self.openRate = Share.text(statistics.knownOpenRate)
        self.clickRate = Share.text(statistics.knownClickRate)
        self.median = statistics.lag.p50MS.map(LagText.text) ?? Share.none
        self.ninetieth = statistics.lag.p90MS.map(LagText.text) ?? Share.none
        let steps = FunnelStep.steps(of: statistics)
        let longest = steps.map(\.count).max() ?? 0
        self.steps = steps.map { Step($0, longest: longest) }
        self.beside = FunnelStep.beside(statistics).map { Step($0, longest: longest) }
        self.curve = LagCurve(statistics).map { Curve($0, statistics) }
        self.noCurve =
            statistics.arrived == 0
            ? "Nothing has arrived yet." : "It is not known when these notifications were sent."
        self.since = SinceSending(statistics.lag.sketch)?.parts ?? []
        self.reasons = Self.reasons(statistics)
        self.hasReasons = !self.reasons.isEmpty
        self.asides = Self.asides(statistics)
        self.facts = Self.facts(statistics, now: now)
    }

    private static func sentences(_ statistics: PushStatisticsRecord) -> [String] {
        guard statistics.arrived > 0 || statistics.accepted > 0 else {
            return ["Nothing has been accepted by the push service yet, and nothing has arrived."]
        }
        var sentences: [String] = []
        let arrived = Shown.count(Int(statistics.arrived), "device")
        switch statistics.sendingReports {
        case .known:
            let accepted = Shown.number(Int(statistics.accepted))
            let rate = Share.text(statistics.arrivalRate)
            sentences.append("\(arrived) of \(accepted) reported that the notification arrived: \(rate).")
        case .behind:
            sentences.append("\(arrived) reported that the notification arrived.")
            sentences.append(
                """
                That is more than the \(Shown.number(Int(statistics.accepted))) that are known to be accepted: the \
                sender's own reports are still behind.
                """
            )
        case .missing:
            sentences.append(
                "\(arrived) reported that the notification arrived; how many were accepted nobody has said yet."
            )
        }
        if let median = statistics.lag.p50MS, let ninetieth = statistics.lag.p90MS {
            sentences.append(
                """
                Half of them had it within \(LagText.text(median)), nine of ten within \
                \(LagText.text(ninetieth)).
                """
            )
        }
        if statistics.arrived > 0 {
            let share = statistics.knownOpenRate.map { ": \(Share.text($0)) of those" } ?? ""
            sentences.append("\(Shown.number(Int(statistics.opened))) opened it\(share).")
        }
        return sentences
    }

    /// The greatest number of reasons that are shown.
    private static let reasonsLimit = 50

    /// Returns the reasons of rejection, the most frequent first.
    private static func reasons(_ statistics: PushStatisticsRecord) -> [Line] {
        statistics.rejectedReasons.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .prefix(self.reasonsLimit).map { code, count in
                Line(
                    label: SafeText.line(code, limit: 100),
                    count: Shown.number(Int(count)),
                    share: Share.text(count, of: statistics.sent)
                )
            }
    }

    private static func asides(_ statistics: PushStatisticsRecord) -> [Aside] {
        [
            (
                "Duplicates", statistics.duplicates, "An event that its device has reported before.",
                false
            ),
            ("Too late", statistics.lateDropped, "Reported after the time that is allowed for it.", false),
            (
                "Not eligible", statistics.ineligible,
                "Arrivals of a kind of notification that no extension can report.", false
            ),
            ("No device", statistics.unknownDevice, "Reported without saying by which device.", false),
            (
                "Clock corrected", statistics.skewAdjusted,
                "Arrivals whose time by the device's clock cannot be right.", true
            ),
            (
                "No time of sending", statistics.lag.unknown,
                "Arrivals of which nobody knows how long they took.", true
            ),
        ].map { label, count, meaning, isCounted in
            Aside(
                label: label,
                count: Shown.number(Int(count)),
                meaning: meaning,
                isCounted: isCounted ? "yes" : "no"
            )
        }
    }

    private static func facts(_ statistics: PushStatisticsRecord, now: Int64) -> [Fact] {
        func time(_ label: String, _ time: Int64?) -> Fact {
            guard let time else { return Fact(label: label, value: Share.none) }
            return Fact(
                label: label,
                value: "\(Shown.time(time)), \(Shown.ago(time, now: now))",
                machine: Shown.machineTime(time)
            )
        }
        return [
            time("First sent", statistics.sentMS), time("First arrival", statistics.firstArrivalMS),
            time("Last arrival", statistics.lastArrivalMS), time("Last update", statistics.updatedMS),
            Fact(label: "Campaign", value: Self.name(statistics.campaignID)),
            Fact(label: "App", value: Self.name(statistics.appBundle)),
            Fact(label: "Provider", value: Self.name(statistics.provider)),
        ]
            + statistics.conversionValueMicros.sorted { $0.key < $1.key }.map { currency, micros in
                Fact(
                    label: "Value of conversions",
                    value: "\(Self.hundredths(micros)) \(SafeText.line(currency, limit: 3))"
                )
            } + [
                Fact(label: "Version of these numbers", value: Shown.number(Int(statistics.version)))
            ]
    }

    /// Returns millionths as whole units with two decimals, rounded down.
    private static func hundredths(_ micros: Int64) -> String {
        let hundredths = micros / 10_000
        let rest = hundredths % 100
        return "\(Shown.number(Int(hundredths / 100))).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func name(_ text: String) -> String {
        text.isEmpty ? Share.none : SafeText.line(text, limit: 200)
    }
}

extension MessageModel.Step {
    init(_ step: FunnelStep, longest: Int64) {
        let bar = FunnelBar(step.count, before: step.before?.count, longest: longest)
        self.name = step.name
        self.meaning = step.meaning
        self.count = Shown.number(Int(step.count))
        self.bar = bar.bar
        self.ground = bar.ground
        self.ofBefore = Share.text(step.shareOfBefore)
        self.beforeName = step.before.map { "of \($0.name)" }
        // The first step, all sent devices, is larger than the accepted ones, so a share of them has no
        // meaning.
        self.ofAccepted = step.before == nil ? Share.none : Share.text(step.shareOfAccepted)
    }
}

extension MessageModel.Curve {
    /// The lags of the rows of the table, in milliseconds.
    private static let times: [Int64] = [
        1_000, 10_000, 60_000, 300_000, 3_600_000, 21_600_000, 86_400_000, 259_200_000,
    ]

    init(_ curve: LagCurve, _ statistics: PushStatisticsRecord) {
        let total = statistics.lag.sketch.total
        self.curve = curve
        let counts = Self.times.map { (time: $0, count: statistics.lag.sketch.count(within: $0)) }
        // The table ends with the first row that contains all arrivals.
        let last = counts.firstIndex { $0.count == total } ?? counts.count - 1
        self.rows = counts.prefix(last + 1).map { time, count in
            MessageModel.Line(
                label: "within \(LagText.text(time))",
                count: Shown.number(Int(count)),
                share: Share.text(count, of: total)
            )
        }
        self.words = """
            How the share of arrivals grew over the time since they were sent\
            \(curve.marks.map { ", " + $0.label }.joined()). The table has the numbers.
            """
        self.note = """
            This is about \(Shown.count(Int(total), "arrival")) whose time of sending is known. The times are exact to \
            \(Int((LagSketch.accuracy * 100).rounded(.up))) %, and their scale is logarithmic: each line is many times \
            later than the one before.
            """
    }
}
