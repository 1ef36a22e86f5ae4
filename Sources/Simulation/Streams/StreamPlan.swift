import StreamKit
import WorkerKit

/// What a stream storm is like as a whole: drawn once, from its seed.
struct StreamPlan {
    var setup = StreamSetup()
    /// When the troubles end.
    var calmAfter: Duration
    /// Shares of what is asked of the brokers that goes wrong.
    var produceTrouble: Double
    var commitTrouble: Double
    var memoryTrouble: Double
    /// Whether nothing at all gets through, now and then.
    var hasOutages: Bool
    var records: Int
    /// Different items of each group.
    var variety: Int
    /// The longest way of a marker, and the longest pause between two looks into a changelog.
    var markerDelay: Duration
    var restorePause: Duration
    /// The fewer, the longer it takes to read a changelog.
    var restoreBatch: Int
    /// How often the workers are given a turn that they did not ask for.
    var nudges: Int

    init(using random: inout SplitMix64) {
        func sometimes(_ range: ClosedRange<Double>) -> Double {
            Bool.random(using: &random) ? .random(in: range, using: &random) : 0
        }
        func milliseconds(_ range: ClosedRange<Int>) -> Duration {
            .milliseconds(Int.random(in: range, using: &random))
        }
        self.setup.partitions = .random(in: 1...3, using: &random)
        self.calmAfter = .seconds(Int.random(in: 5...90, using: &random))
        self.produceTrouble = sometimes(0...0.1)
        self.commitTrouble = sometimes(0...0.4)
        self.memoryTrouble = sometimes(0...0.3)
        self.hasOutages = Bool.random(using: &random)
        self.records = .random(in: 20...150, using: &random)
        self.variety = .random(in: 2...30, using: &random)
        self.setup.pace = milliseconds(100...5_000)
        self.markerDelay = Bool.random(using: &random) ? milliseconds(5...4_000) : .milliseconds(5)
        self.restorePause = Bool.random(using: &random) ? milliseconds(5...1_000) : .milliseconds(5)
        self.restoreBatch = Bool.random(using: &random) ? .random(in: 1...10, using: &random) : 1_000
        self.setup.settings.commitInterval = milliseconds(20...900)
        if Bool.random(using: &random) {
            self.setup.settings.transactionRecords = .random(in: 1...10, using: &random)
        }
        if .random(in: 0..<3, using: &random) == 0 {
            self.setup.settings.memoryLimit = CountingTask.itemBytes * .random(in: 4...12, using: &random)
            self.setup.isPunctual = false
        }
        if self.hasOutages || self.produceTrouble > 0 { self.setup.isPunctual = false }
        if self.hasOutages || self.produceTrouble + self.commitTrouble > 0 {
            self.setup.reportLimit = .seconds(1)
            self.setup.commitLimit = .seconds(16)
        }
        self.nudges = Bool.random(using: &random) ? .random(in: 20...100, using: &random) : 0
    }

    /// In what time everything has to be settled once nothing goes wrong any more: what is frozen wakes up, what is open
    /// times out, and a full memory is emptied a handful of items at a time.
    func patience(clockWasStepped: Bool) -> Duration {
        .seconds(120) + (self.setup.pace + .seconds(3)) * (self.records / 4)
            + .seconds(clockWasStepped ? 7_200 : 0)
    }
}
