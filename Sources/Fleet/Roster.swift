import ArgumentParser
import WorkerKit

/// The workers of the fleet, and the topics that each of them needs. A new worker is one more line here.
enum Roster {
    static let activation = WorkerIdentity(name: "activation-worker", topic: "activation", upstream: "gdt")
    static let deviceCheck = WorkerIdentity(
        name: "devicecheck-worker",
        topic: "devicecheck",
        upstream: "devicecheck"
    )

    static let receipt = WorkerIdentity(name: "receipt-worker", topic: "receipt", upstream: "appstore")

    static let pushArrival = WorkerIdentity(
        name: "push-arrival-worker",
        topic: "push-arrival",
        upstream: "statistics"
    )

    static let workers = [activation, deviceCheck, receipt, pushArrival]

    static let partitions = 4

    /// What a broker has to have before the fleet can start.
    static var topics: [TopicPlan] {
        self.workers.flatMap(self.topics).map { TopicPlan(name: $0, partitions: self.partitions) }
            + self.workers.filter { $0.name != self.pushArrival.name }.map {
                TopicPlan(name: $0.parkedTopic, partitions: self.partitions)
            }
            + self.ofTheTool.map { TopicPlan(name: $0, partitions: 1) }
    }

    /// What one worker reads and writes. All of them have as many partitions: what the push-arrival worker remembers
    /// needs as many as its input, and nothing is harmed by as many elsewhere.
    static func topics(of worker: WorkerIdentity) -> [String] {
        [worker.topic, worker.resultTopic, worker.deadLetterTopic]
            + self.furtherTopics(of: worker).map { "\(worker.topic).\($0)" }
    }

    /// By what follows the name of the worker's input.
    private static func furtherTopics(of worker: WorkerIdentity) -> [String] {
        guard worker.name == self.pushArrival.name else { return [] }
        // State and statistics, and then those of the forwarder.
        return ["changelog", "parts", "stats", "forward", "forward.result", "forward.dead-letter"]
    }

    /// Where the dead-letter tool keeps its ledger and its audit trail. A broker that cannot make topics when it is asked
    /// to has to have them.
    private static let ofTheTool = ["dead-letters.ledger", "dead-letters.audit"]
}

extension WorkerIdentity {
    var resultTopic: String { "\(self.topic).result" }
    var deadLetterTopic: String { "\(self.topic).dead-letter" }
    var parkedTopic: String { "\(self.topic).parked" }
}

/// A topic to create, written `name:partitions`.
struct TopicPlan: Hashable, Sendable {
    var name: String
    var partitions: Int

    /// What is set for it beside the broker's defaults.
    var settings: [String: String] { self.name.hasSuffix(".parked") ? ["cleanup.policy": "compact"] : [:] }
}

extension TopicPlan: ExpressibleByArgument {
    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let partitions = Int(parts[1]),
            (1...1_000).contains(partitions)
        else { return nil }
        self.init(name: String(parts[0]), partitions: partitions)
    }

    var defaultValueDescription: String { "\(self.name):\(self.partitions)" }
}
