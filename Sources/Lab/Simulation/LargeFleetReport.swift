/// The measurements of a large fleet, and the goals that they must meet. All times are simulated ones, unless their
/// name says otherwise.
package struct LargeFleetReport: Sendable {
    let plan: LargeFleetPlan
    /// The time from the start of the last worker until every partition had an owner; nil if that never came.
    var assigning: Duration?
    /// The real time of the start.
    var realStart = Duration.zero
    /// The measurements of an even load without a rebalance.
    var steady = Stretch()
    /// The measurements of the time in which one worker was killed.
    var kill = Stretch()
    /// The measurements of the time in which workers were restarted one after the other.
    var restarts = Stretch()
    /// The number of rebalances of the restarts. A worker that stops and starts again causes two.
    var rebalances = 0
    /// The fewest and the most partitions that a worker had under an even load.
    var fewestPartitions = 0
    var mostPartitions = 0
    var settlesEverything = false
    /// A description of each broken promise.
    package internal(set) var violations: [String] = []

    init(_ plan: LargeFleetPlan) { self.plan = plan }

    /// The measurements of a stretch of time, over the whole fleet.
    struct Stretch: Sendable {
        var length = Duration.zero
        var records = 0
        /// Commits, or transactions with exactly-once.
        var commits = 0
        /// The positions in these commits, one for each partition that had moved.
        var positions = 0
        var metadataBytes = 0
        var mostMetadataBytes = 0
        /// The time from the publication of a record until readers could see its outcome, the longest first.
        var waits: [Int64] = []
        /// The real time that the simulation took.
        var real = Duration.zero

        /// The time within which this share of the records was settled.
        func wait(ofShare share: Double) -> Duration {
            guard let longest = self.waits.first else { return .zero }
            let index = Int(Double(self.waits.count) * (1 - share))
            return .nanoseconds(index < self.waits.count ? self.waits[index] : longest)
        }

        var seconds: Double { self.length / .seconds(1) }
    }

    /// The measurements as lines of text.
    package var lines: [String] {
        [
            "fleet         \(self.plan.workers) workers, \(self.plan.partitions) partitions, "
                + "\(self.plan.perSecond) records a second, answers after \(Self.text(self.plan.latency))",
            "assignment    \(self.assigning.map(Self.text) ?? "never complete") after the last worker's start, "
                + "\(self.fewestPartitions) to \(self.mostPartitions) partitions a worker",
            "even load     " + self.text(of: self.steady),
            "commits       " + self.commitText(self.steady),
            "one killed    " + self.text(of: self.kill),
            "restarts      \(self.plan.restarts) workers, \(self.rebalances) rebalances; "
                + self.text(of: self.restarts),
            "violations    \(self.violations.isEmpty ? "none" : String(self.violations.count))",
            "real time     \(Self.text(self.realStart)) for the start, "
                + "\(Self.microseconds(self.steady)) µs a record under the even load",
        ]
    }

    /// A description of each goal that was missed.
    package var misses: [String] {
        var misses = self.violations.prefix(5).map { "a promise is broken: \($0)" }
        if self.assigning == nil { misses.append("not every partition got an owner") }
        if self.mostPartitions - self.fewestPartitions > 1 {
            misses.append("the partitions are shared unevenly")
        }
        if !self.settlesEverything { misses.append("not everything was settled and committed") }
        return misses
    }

    private func text(of stretch: Stretch) -> String {
        let (half, most) = (stretch.wait(ofShare: 0.5), stretch.wait(ofShare: 0.99))
        return
            "\(stretch.records) records in \(Self.text(stretch.length)), settled after \(Self.text(half)) (median), "
            + "\(Self.text(most)) (p99), \(Self.text(stretch.wait(ofShare: 1))) at most"
    }

    private func commitText(_ stretch: Stretch) -> String {
        let perSecond = Double(stretch.commits) / max(stretch.seconds, 1)
        let positions = Double(stretch.positions) / Double(max(1, stretch.commits))
        let bytes = Double(stretch.metadataBytes) / Double(max(1, stretch.positions))
        return "\(Self.tenths(perSecond)) a second, \(Self.tenths(positions)) partitions in each, "
            + "\(Self.tenths(bytes)) bytes of metadata a partition, \(stretch.mostMetadataBytes) at most"
    }

    private static func microseconds(_ stretch: Stretch) -> String {
        Self.tenths(stretch.real / .microseconds(1) / Double(max(1, stretch.records)))
    }

    private static func tenths(_ number: Double) -> String { String((number * 10).rounded() / 10) }

    private static func text(_ duration: Duration) -> String {
        "\(Double(Int(duration / .milliseconds(1))) / 1_000) s"
    }
}
