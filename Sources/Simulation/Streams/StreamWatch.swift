import Kafka
import Records
import StreamKit
import WorkerKit

/// Makes the tasks of one simulated process, and judges what they are given.
final class StreamWatch: StreamApplication {
    private struct Held { weak var task: CountingTask? }

    private let setup: StreamSetup
    private let model: InputModel
    private let broker: SimulatedBroker
    private var held: [Held] = []
    /// Offsets of records that were not to be looked into.
    var buried: [Int64] = []
    private var bytes = 0
    /// Since when the tasks have taken more than they may, in the monotonic time.
    private var isOverSince: Int64?

    init(_ setup: StreamSetup, _ model: InputModel, of broker: SimulatedBroker) {
        self.setup = setup
        self.model = model
        self.broker = broker
    }

    var topics: [String] { [SimulatedCluster.topic, Part.topic] }

    func task(for partition: TopicPartition) -> any StreamTask {
        guard partition.topic == SimulatedCluster.topic else {
            return SummingTask(pace: self.setup.pace, self)
        }
        let task = CountingTask(partition.partition, of: self.setup, self)
        self.held.removeAll { $0.task == nil }
        self.held.append(Held(task: task))
        return task
    }

    /// What a process does after its death, or after its group has gone on without it, may be wrong: as long as nobody
    /// sees it, and that is judged elsewhere.
    func complain(_ complaint: String) {
        guard !self.broker.isDead, !self.broker.isDeposed else { return }
        self.broker.cluster.violations.append(complaint)
    }

    /// The process dies of what a task has just done.
    func die() { self.broker.kill() }

    /// A task is about to process a record, and holds so many items.
    func willProcess(_ record: InboundRecord, holding items: Int, at now: Moment) {
        let expected = self.model.items(before: record.offset, in: record.partition)
        if items != expected {
            self.complain("\(record.place) is processed by a task that holds \(items) items of \(expected)")
        }
        self.judgeMemory(record, at: now)
    }

    /// Looks how much the tasks take: they also grow and shrink without a record of the input.
    func countBytes(at now: Moment) {
        self.bytes = self.held.reduce(0) { $0 + ($1.task?.byteCount ?? 0) }
        self.isOverSince =
            self.bytes > self.setup.settings.memoryLimit ? self.isOverSince ?? now.monotonic : nil
    }

    /// The engine counts bytes once in two seconds, and reads nothing once there are too many.
    private func judgeMemory(_ record: InboundRecord, at now: Moment) {
        self.countBytes(at: now)
        guard let since = self.isOverSince, now.monotonic - since > 2_000_000_000 else { return }
        self.complain(
            "\(record.place) is processed with \(self.bytes) bytes of \(self.setup.settings.memoryLimit) held"
        )
    }
}
