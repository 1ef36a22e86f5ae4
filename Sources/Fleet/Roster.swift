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

    static let workers = [activation, deviceCheck, receipt]

    static let partitions = 4

    /// What a broker has to have before the fleet can start.
    static var topics: [TopicPlan] {
        self.workers.flatMap { worker in
            [worker.topic, worker.resultTopic, worker.deadLetterTopic].map {
                TopicPlan(name: $0, partitions: self.partitions)
            }
        } + self.ofTheTool.map { TopicPlan(name: $0, partitions: 1) }
    }

    /// Where the dead-letter tool keeps its ledger and its audit trail. A broker that cannot make topics when it is asked
    /// to has to have them.
    private static let ofTheTool = ["dead-letters.ledger", "dead-letters.audit"]
}

extension WorkerIdentity {
    var resultTopic: String { "\(self.topic).result" }
    var deadLetterTopic: String { "\(self.topic).dead-letter" }
}

/// A topic to create, written `name:partitions`.
struct TopicPlan: Hashable, Sendable {
    var name: String
    var partitions: Int
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
