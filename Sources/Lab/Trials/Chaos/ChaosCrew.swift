import Fleet
import Glibc
import Harness
import Kafka
import ServiceKit
import Terminal
import WorkerKit

/// The workers of one kind in a chaos run, with their topics and settings files.
final class ChaosCrew {
    let worker: WorkerIdentity
    /// The number of workers, without those that are added for a limited time.
    let size: Int
    private(set) var slots: [WorkerSlot] = []
    /// The number of worker processes that were started with a small producer queue.
    private(set) var smallQueues = 0
    private let title: String
    /// The program with the command that consumes.
    private let command: [String]
    /// The factor by which the small producer queues are larger: the number of records that one input makes.
    private let queueFactor: Int
    private let options: ChaosOptions
    private let harness: Harness
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - title: the name of one worker in the output, to which a number is added.
    ///   - command: the program with the command that serves.
    ///   - folder: the folder for the settings files.
    init(
        _ worker: WorkerIdentity,
        called title: String,
        command: [String]? = nil,
        queueFactor: Int = 1,
        size: Int,
        options: ChaosOptions,
        on harness: Harness,
        in folder: TemporaryFolder
    ) {
        self.worker = worker
        self.size = size
        self.title = title
        self.command = command ?? [worker.name, "run"]
        self.queueFactor = queueFactor
        self.options = options
        self.harness = harness
        self.folder = folder
    }

    /// The worker at this place; nil if there is none.
    func slot(at place: Int) -> WorkerSlot? { self.slots.indices.contains(place) ? self.slots[place] : nil }

    /// The consumer group of the workers.
    var group: String { "\(self.worker.topic)-chaos" }

    var topics: [String] {
        let worker = self.worker
        // Only workers that call for records park some.
        guard worker.name != Roster.pushArrival.name else {
            // Nothing is forwarded.
            return Roster.topics(of: worker).filter { !$0.contains(".forward") }
        }
        return [worker.topic, worker.resultTopic, worker.deadLetterTopic, worker.parkedTopic]
    }

    /// Writes one settings file for the normal producer queue, and one for each small queue.
    ///
    /// - Parameter write: writes one file; it receives the file's name and further lines for the sections
    ///   `kafka` and `worker`.
    func writeSettings(_ write: (_ name: String, _ kafka: [String], _ worker: [String]) throws -> Void) throws
    {
        let kafka = [
            "topic: \(self.worker.topic)", "group: \(self.group)",
            "session_timeout: \(self.options.sessionTimeout.components.seconds)s",
            "transaction_timeout: \(self.options.transactionTimeout.components.seconds)s",
        ]
        let worker = [
            "delivery: \(self.options.delivery.rawValue)", "ordering: key", "drain_limit: 5s",
            "result_format: protobuf",
        ]
        try write(self.settingsName(nil), kafka, worker)
        for limit in ChaosSchedule.queueLimits {
            let queue = [
                "properties:", "  - name: queue.buffering.max.messages",
                "    value: \"\(limit * self.queueFactor)\"",
            ]
            try write(self.settingsName(limit), kafka + queue, worker)
        }
    }

    private func settingsName(_ queueLimit: Int?) -> String {
        "\(self.worker.name)\(queueLimit.map { "-with-queue-of-\($0)" } ?? "").yaml"
    }

    /// Starts a worker at this place, unless one is running there.
    ///
    /// - Parameter queueLimit: the size of the producer queue in records; nil for the default.
    func start(_ place: Int, queueLimit: Int?) throws {
        while self.slots.count <= place {
            let name = "\(self.title) \(self.slots.count + 1)"
            let log = try self.log(of: name)
            self.slots.append(
                WorkerSlot(name, voice: self.worker.name, command: self.command, on: self.harness, log: log)
            )
        }
        if queueLimit != nil { self.smallQueues += 1 }
        try self.slots[place].start(self.folder.file(self.settingsName(queueLimit)))
    }

    private func log(of name: String) throws -> Int32 {
        guard let folder = self.options.logs else { return -1 }
        let path = "\(folder)/\(name.replacing(" ", with: "-")).log"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Complaint("cannot write \(path): \(FileFailure.last().reason)") }
        return descriptor
    }

    /// The number of records before these partition ends that the consumer group has not committed.
    ///
    /// - Parameter topic: an input topic of the workers; nil for their first.
    func lag(of topic: String? = nil, behind ends: [Int64], on brokers: String) throws -> Int64 {
        let consumer = try Consumer(["bootstrap.servers": brokers, "group.id": self.group])
        defer { consumer.abandon() }
        let topic = topic ?? self.worker.topic
        let partitions = ends.indices.map { TopicPartition(topic: topic, partition: Int32($0)) }
        let committed = try consumer.committed(partitions, atMost: .seconds(20))
        return committed.reduce(0) { lag, position in
            lag + max(0, ends[Int(position.partition.partition)] - (position.offset ?? 0))
        }
    }
}
