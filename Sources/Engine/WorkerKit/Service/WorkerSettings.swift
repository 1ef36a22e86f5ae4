import Foundation
package import Operations
package import ServiceKit
package import UpstreamHTTP

/// The settings that every worker has, read from its file and the environment.
package struct WorkerSettings: Sendable {
    package var engine: EngineSettings
    package var kafka: KafkaSettings
    package var http: HTTPClientSettings
    package var operation: OperationSettings
    package var tracing: TracingSettings
    /// How long the cluster may take to answer when the worker starts.
    package var startLimit: Duration
    /// The folder that remembers which records a worker has died of.
    package var crashFolder: String

    /// - Parameters:
    ///   - reader: Collects the faults of the settings; the caller finishes it.
    ///   - identity: The names of the worker, and its topic where none is set.
    package init(_ reader: SettingsReader, _ identity: WorkerIdentity) {
        self.kafka = KafkaSettings(reader.section("kafka"), identity)
        var engine = EngineSettings(
            inputTopic: self.kafka.topic,
            groupID: self.kafka.group,
            worker: identity.name,
            workerVersion: WorkerIdentity.version,
            upstream: identity.upstream
        )
        engine.resultTopic = self.kafka.resultTopic
        engine.deadLetterTopic = self.kafka.deadLetterTopic
        engine.deadLetterRoutes = self.kafka.deadLetterRoutes
        engine.parkedTopic = reader.section("kafka").string(
            "parked_topic",
            default: engine.parkedTopic,
            help:
                "Gets a ticket for each record that is put aside, so that one destination's outage leaves the others "
                + "their memory. Compacted, with the partitions of the input. Without it everything waits in hand."
        )
        engine.messageBytesLimit = self.kafka.messageBytesLimit
        identity.haste.apply(to: &engine)
        engine.longestGate = identity.longestGate ?? engine.longestGate
        engine.readWork(reader.section("worker"))
        engine.readRetry(reader.section("retry"))
        engine.readBreaker(reader.section("breaker"))
        engine.readHold(reader.section("hold"))
        engine.readBudget(reader.section("budget"))
        engine.readRate(reader.section("rate"))
        self.engine = engine
        self.http = HTTPClientSettings(reader.section("http"), concurrency: engine.concurrency, identity)

        self.operation = OperationSettings(reader)
        self.tracing = TracingSettings(reader.section("tracing"))
        self.startLimit = self.kafka.startLimit
        let folder = reader.section("worker").optionalString(
            "crash_folder",
            help: "Remembers which records a worker died of. A new container finds it only on a volume; "
                + "run --restarts starts again in the same one. By default in the system's temporary folder."
        )
        self.crashFolder = folder ?? Self.temporaryFolder(of: self.kafka.group)
        for fault in Preflight(engine).faultsOfNames {
            reader.section("kafka").reportFault(fault.setting, fault.problem)
        }
    }
}

extension WorkerSettings {
    /// Returns the crash folder that is used by default: one for all workers of a group on this machine and
    /// of this user.
    package static func temporaryFolder(of group: String) -> String {
        let name = String(group.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
        return NSTemporaryDirectory() + "flotilla-\(getuid())-\(name)"
    }

    /// Returns the rights that the worker needs on its cluster.
    ///
    /// - Parameter check: The worker's topics; after `meet`, as the cluster has them.
    package func rights(_ check: Preflight) -> [NeededRight] {
        NeededRight.rights(of: check, self.kafka, isTransactional: self.engine.delivery == .exactlyOnce)
    }

    /// Returns librdkafka's properties for the producer. They are the same each time only where
    /// `kafka.instance` is set, so ask once in the life of a process.
    func producerProperties() -> [String: String] {
        switch self.engine.delivery {
        case .atLeastOnce: self.kafka.producerProperties()
        case .exactlyOnce: self.kafka.producerProperties(transactionalID: self.kafka.transactionalID())
        }
    }
}

extension HTTPClientSettings {
    fileprivate init(_ reader: SettingsReader, concurrency: Int, _ identity: WorkerIdentity) {
        self.init(
            connectTimeout: reader.duration(
                "connect_timeout",
                default: .seconds(5),
                in: .milliseconds(10) ... .seconds(300),
                help: "Until a connection stands, TLS included."
            ),
            requestTimeout: reader.duration(
                "timeout",
                default: .seconds(10),
                in: .milliseconds(10) ... .seconds(600),
                help: "From the start of a call to the last byte of its answer."
            ),
            connectionLimit: concurrency,
            responseBytesLimit: reader.bytes(
                "response_limit",
                default: identity.answerBytesLimit,
                in: 1_024...(1 << 30),
                help: "The longest answer that is read."
            ),
            keptHeaders: ["retry-after", "date"] + identity.keptHeaders,
            httpVersion: identity.httpVersion,
            certificateAuthorityFile: reader.optionalString(
                "ca_file",
                help:
                    "PEM file of the authorities to trust instead of the system's. For tests and private networks. "
                    + "A changed file counts for new connections within 10 s."
            ),
            userAgent: "flotilla-\(identity.name)/\(WorkerIdentity.version)"
        )
    }
}
