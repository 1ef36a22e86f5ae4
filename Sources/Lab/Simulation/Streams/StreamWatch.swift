import Kafka
import Records
import ServiceKit
import StreamKit

/// Makes the tasks of one simulated process, and judges the records that the engine passes to them.
final class StreamWatch: StreamApplication {
    private struct Held { weak var task: CountingTask? }

    private let setup: StreamSetup
    private let model: InputModel
    private let broker: SimulatedBroker
    private var held: [Held] = []
    /// The offsets of records that the engine passed to `bury`.
    var buried: [Int64] = []
    private var bytes = 0
    /// The time since which the tasks have used more memory than they may, in monotonic nanoseconds; nil if
    /// they do not.
    private var isOverSince: Int64?

    init(_ setup: StreamSetup, _ model: InputModel, of broker: SimulatedBroker) {
        self.setup = setup
        self.model = model
        self.broker = broker
    }

    var topics: [String] { [SimulatedCluster.topic, Part.topic] }

    var inputTopics: [String] { [SimulatedCluster.topic] }

    var spreads: [StateSpread] { self.setup.spread.map { [$0] } ?? [] }

    func task(for partition: TopicPartition) -> any StreamTask {
        guard partition.topic == SimulatedCluster.topic else {
            return SummingTask(pace: self.setup.pace, self)
        }
        let task = CountingTask(partition.partition, of: self.setup, self)
        self.held.removeAll { $0.task == nil }
        self.held.append(Held(task: task))
        return task
    }

    /// Adds a violation, unless the process is dead or its group has replaced it. Such a process may be wrong
    /// as long as no reader sees its results, which other judges check.
    func complain(_ complaint: String) {
        guard !self.broker.isDead, !self.broker.isDeposed else { return }
        self.broker.cluster.violations.append(complaint)
    }

    /// Kills the process in the middle of the work of a task.
    func die() { self.broker.kill() }

    /// Notes that a task is about to process a record, and checks the number of items that it holds.
    func willProcess(_ record: InboundRecord, holding items: Int, at now: Moment) {
        let expected = self.model.items(before: record.offset, in: record.partition)
        if items != expected {
            self.complain("\(record.place) is processed by a task that holds \(items) items of \(expected)")
        }
        self.judgeMemory(record, at: now)
    }

    /// Adds up the memory of all tasks. It must be called after each turn too, since tasks also grow and
    /// shrink without a record of the input.
    func countBytes(at now: Moment) {
        self.bytes = self.held.reduce(0) { $0 + ($1.task?.byteCount ?? 0) }
        self.isOverSince =
            self.bytes > self.setup.settings.memoryLimit ? self.isOverSince ?? now.monotonic : nil
    }

    /// The engine adds up the memory every two seconds, and reads no record while it is above the limit.
    private func judgeMemory(_ record: InboundRecord, at now: Moment) {
        self.countBytes(at: now)
        guard let since = self.isOverSince, now.monotonic - since > 2_000_000_000 else { return }
        self.complain(
            "\(record.place) is processed with \(self.bytes) bytes of \(self.setup.settings.memoryLimit) held"
        )
    }
}
