import ActivationIntake
import ArgumentParser
import PushArrivalWorker
package import ServiceKit
import WorkerKit

/// The workers of the fleet and their topics. A new worker is added here.
package enum Roster {
    package static let activation = WorkerIdentity(
        name: "activation-worker",
        topic: "activation",
        upstream: "gdt"
    )
    package static let deviceCheck = WorkerIdentity(
        name: "devicecheck-worker",
        topic: "devicecheck",
        upstream: "devicecheck"
    )

    package static let receipt = WorkerIdentity(
        name: "receipt-worker",
        topic: "receipt",
        upstream: "appstore"
    )

    package static let pushArrival = WorkerIdentity(
        name: "push-arrival-worker",
        topic: "push-arrival",
        upstream: "statistics"
    )

    /// The intake that can stand before the activation worker.
    package static let intake = WorkerIdentity.activationIntake

    /// The worker that posts what the push-arrival worker forwards.
    static let forwarder = WorkerIdentity.pushArrivalForward

    /// The gateway, which fills topics and consumes none.
    static let gateway = WorkerIdentity(name: "gateway", topic: "sdk-upload", upstream: "kafka")

    package static let workers = [activation, deviceCheck, receipt, pushArrival]

    /// The programs whose settings can be checked against a cluster, and whose topics can be made.
    static let programs = workers + [intake, forwarder, gateway]

    /// Returns the program of this name.
    ///
    /// - Throws: A `ValidationError` with the names that there are.
    static func program(_ name: String) throws -> WorkerIdentity {
        if let identity = self.programs.first(where: { $0.name == name }) { return identity }
        let names = self.programs.map(\.name).joined(separator: ", ")
        throw ValidationError("No worker is called '\(name)'; there are: \(names).")
    }

    /// The number of partitions of each topic by default.
    package static let partitions = 4

    /// The topics that must exist before the fleet can start.
    package static var topics: [TopicPlan] {
        self.workers.flatMap(self.topics).map { TopicPlan(name: $0, partitions: self.partitions) }
            + self.workers.filter { $0.name != self.pushArrival.name }.map {
                TopicPlan(name: $0.parkedTopic, partitions: self.partitions)
            }
            + self.ofTheTool.map { TopicPlan(name: $0, partitions: 1) }
    }

    /// The topics that one worker reads and writes. They all get the same number of partitions: the
    /// push-arrival worker's state needs as many as its input, and for the other topics it does no harm.
    package static func topics(of worker: WorkerIdentity) -> [String] {
        [worker.topic, worker.resultTopic, worker.deadLetterTopic]
            + self.furtherTopics(of: worker).map { "\(worker.topic).\($0)" }
    }

    /// The further topics, without the name of the input topic.
    private static func furtherTopics(of worker: WorkerIdentity) -> [String] {
        guard worker.name == self.pushArrival.name else { return [] }
        // The first three are for state and statistics, the others for the forwarder.
        return ["changelog", "parts", "stats", "forward", "forward.result", "forward.dead-letter"]
    }

    /// The topics of the dead-letter tool: its ledger and its audit trail. They are listed because a broker
    /// may not create topics automatically.
    private static let ofTheTool = ["dead-letters.ledger", "dead-letters.audit"]
}

extension WorkerIdentity {
    package var resultTopic: String { "\(self.topic).result" }
    package var deadLetterTopic: String { "\(self.topic).dead-letter" }
    package var parkedTopic: String { self.topic + ParkingTicket.topicSuffix }
}

/// A topic to create, in the form `name:partitions`.
package struct TopicPlan: Hashable, Sendable {
    package var name: String
    package var partitions: Int

    /// Plans a topic of this name.
    package init(name: String, partitions: Int) {
        self.name = name
        self.partitions = partitions
    }

    /// The settings in which the topic differs from the broker's defaults.
    package var settings: [String: String] {
        let brokersTime = ["message.timestamp.type": "LogAppendTime"]
        if self.name.hasSuffix(".changelog") { return brokersTime }
        guard self.name.hasSuffix(ParkingTicket.topicSuffix) else { return [:] }
        return brokersTime.merging(["cleanup.policy": "compact"]) { $1 }
    }
}

extension TopicPlan: ExpressibleByArgument {
    package init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let partitions = Int(parts[1]),
            (1...1_000).contains(partitions)
        else { return nil }
        self.init(name: String(parts[0]), partitions: partitions)
    }

    package var defaultValueDescription: String { "\(self.name):\(self.partitions)" }
}
