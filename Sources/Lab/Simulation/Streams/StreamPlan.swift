import ServiceKit
import StreamKit

/// The properties of a whole run of stream engines, drawn once from its seed.
struct StreamPlan {
    var setup = StreamSetup()
    /// The time after which there are no more faults.
    var calmAfter: Duration
    /// The share of the records sent that fail.
    var produceTrouble: Double
    /// The share of commits, and of reads of committed positions, that fail.
    var commitTrouble: Double
    /// The share of readings of a changelog that fail.
    var memoryTrouble: Double
    /// Whether there are times in which no request reaches the brokers.
    var hasOutages: Bool
    /// The number of records that are published.
    var records: Int
    /// The number of different items of each group.
    var variety: Int
    /// The longest time until a transaction marker is written.
    var markerDelay: Duration
    /// The longest pause between two readings of a changelog.
    var restorePause: Duration
    /// The largest number of records that one reading of a changelog gives. A small one makes reading take
    /// longer.
    var restoreBatch: Int
    /// The number of turns that the workers get without having asked for them.
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

    /// Returns the time in which everything must be settled after the last fault: frozen processes wake up,
    /// open transactions time out, and a full memory is emptied a handful of items at a time.
    func patience(clockWasStepped: Bool) -> Duration {
        .seconds(120) + (self.setup.pace + .seconds(3)) * (self.records / 4)
            + .seconds(clockWasStepped ? 7_200 : 0)
    }
}
