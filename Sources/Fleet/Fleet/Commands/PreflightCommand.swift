import ActivationIntake
import ArgumentParser
import Kafka
import Operations
import ServiceKit
import StreamKit
import Terminal
import WorkerKit

/// `fleet preflight`: checks whether a worker with these settings would start.
struct PreflightCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "preflight",
        abstract:
            "Say everything that would keep a worker from starting on its cluster; exit 1 if there is something."
    )

    typealias Outlook = Preflight.Outlook

    @Option(name: [.customLong("config"), .customShort("c")], help: "The worker's settings, a YAML file.")
    var config: String

    @Option(help: ArgumentHelp("Whose settings they are.", valueName: "worker"))
    var worker = Roster.activation.name

    @Option(help: ArgumentHelp("How long the cluster may take to answer.", valueName: "seconds"))
    var wait = 10

    func validate() throws {
        _ = try Roster.program(self.worker)
        guard (1...600).contains(self.wait) else { throw ValidationError("--wait is from 1 to 600 seconds.") }
    }

    func carryOut(until wish: StopWish) throws {
        let faults = try self.faults()
        guard faults.isEmpty else {
            for fault in faults { Console.line(fault) }
            throw ExitCode(1)
        }
        Console.line("\(self.worker) would start: its cluster answers and has its topics")
    }

    /// All problems that would keep the worker from starting.
    func faults() throws -> [String] {
        let identity = try Roster.program(self.worker)
        let file: SettingsFile
        do throws(SettingsFaults) {
            file = try SettingsFile(path: self.config)
        } catch {
            return error.faults.map(\.description)
        }
        let reader = SettingsReader(file: file)
        switch identity.name {
        case Roster.pushArrival.name: return try self.faultsOfPushArrival(reader, identity)
        case Roster.intake.name: return try self.faultsOfIntake(reader)
        case Roster.gateway.name: return try self.faultsOfGateway(reader)
        default: return try self.faultsOfCalls(reader, identity)
        }
    }

    private func faultsOfPushArrival(_ reader: SettingsReader, _ identity: WorkerIdentity) throws -> [String]
    {
        let preflight = PushPreflight(reader, identity)
        let faults = Self.faults(of: reader)
        guard faults.isEmpty else { return faults }
        return try self.faultsOfCluster(preflight.kafka) {
            Met(
                faults: preflight.faults(in: $0),
                warnings: preflight.growth(in: $0).map { [$0] } ?? [],
                described: preflight.topics,
                rights: preflight.rights,
                state: (preflight.spreads(in: $0), $0)
            )
        } outlook: {
            preflight.outlook($0)
        }
    }

    /// The sections of the intake's settings.
    static let sectionsOfIntake = ["sdk", "clicks", "attribution", "duplicates", "state"]

    private func faultsOfIntake(_ reader: SettingsReader) throws -> [String] {
        let settings = IntakeSettings(reader)
        let faults = Self.faults(of: reader, own: Self.sectionsOfIntake)
        guard faults.isEmpty else { return faults }
        let preflight = IntakePreflight(settings)
        return try self.faultsOfCluster(settings.kafka) {
            Met(
                faults: preflight.faults(in: $0.partitionCounts).faults,
                described: preflight.describedTopics,
                rights: preflight.rights,
                state: ([settings.topics.spread(in: $0.partitionCounts)], $0)
            )
        } outlook: {
            preflight.outlook($0)
        }
    }

    /// The problems of the gateway, which fills topics and consumes none.
    private func faultsOfGateway(_ reader: SettingsReader) throws -> [String] {
        let gateway = GatewayTopics(reader)
        let faults = Self.faults(of: reader)
        guard faults.isEmpty else { return faults }
        var known: ClusterMetadata?
        return try self.faultsOfCluster(gateway.kafka) { cluster in
            known = cluster
            return Met(
                faults: gateway.faults(in: cluster),
                described: gateway.wanted.map(\.name),
                rights: gateway.rights
            )
        } outlook: { settings in
            known.map { gateway.outlook(in: $0, settings) } ?? Outlook()
        }
    }

    /// The problems of a worker that calls an upstream.
    private func faultsOfCalls(_ reader: SettingsReader, _ identity: WorkerIdentity) throws -> [String] {
        let settings = WorkerSettings(reader, identity)
        var check = Self.check(settings, identity)
        let faults = Self.faults(of: reader)
        guard faults.isEmpty else { return faults }
        return try self.faultsOfCluster(settings.kafka) {
            check.meet($0)
            return Met(
                faults: check.faults(in: $0),
                described: check.describedTopics,
                rights: settings.rights(check)
            )
        } outlook: {
            check.outlook($0)
        }
    }

    /// Returns the conditions of a worker that calls an upstream.
    static func check(_ settings: WorkerSettings, _ identity: WorkerIdentity) -> Preflight {
        var check = Preflight(settings.engine)
        if identity.name == Roster.activation.name {
            check.neighbours = IntakeNeighbours.neighbours(of: check.inputTopic)
        }
        return check
    }

    /// The problems in the settings that all workers share. Each worker checks its own settings itself, in
    /// its command `check-config`.
    ///
    /// - Parameter own: The further sections that are read here too.
    static func faults(of reader: SettingsReader, own: [String] = []) -> [String] {
        do throws(SettingsFaults) {
            try reader.finish()
            return []
        } catch {
            let shared = [
                "kafka", "worker", "retry", "breaker", "hold", "http", "budget", "rate", "health", "log",
                "tracing", "admin",
            ]
            return error.faults.filter { fault in
                guard fault.severity == .fault, let section = fault.key?.prefix(while: { $0 != "." }) else {
                    return false
                }
                return (shared + own).contains(String(section))
            }.map(\.description)
        }
    }

    /// The faults of a cluster at first sight, and the questions that follow.
    private struct Met {
        /// The problems of its topics.
        var faults: [String]
        /// The sentences about what needs attention and keeps no worker from starting.
        var warnings: [String] = []
        /// The topics whose settings must be checked.
        var described: [String]
        var rights: [NeededRight]
        /// The spreads of the state over its topics, and the cluster that holds them; nil for a worker without a state.
        var state: (spreads: [StateSpread], cluster: ClusterMetadata)?
    }

    /// Checks the cluster, by the questions of a worker that starts.
    ///
    /// - Parameters:
    ///   - meet: compares the cluster with the needs of the worker.
    ///   - outlook: checks the settings of its topics.
    private func faultsOfCluster(
        _ kafka: KafkaSettings,
        _ meet: (ClusterMetadata) -> Met,
        outlook: ([String: TopicSettings]) -> Outlook
    ) throws -> [String] {
        for warning in kafka.certificates.warnings(at: Moment.now.wall / 1_000) {
            Console.line("warning: \(warning)")
        }
        return try ClusterLook.faults(of: kafka) { cluster in
            let met = meet(try cluster.broker.consumer.metadata(atMost: .seconds(self.wait)))
            for warning in met.warnings { Console.line("warning: \(warning)") }
            cluster.faults =
                met.faults.isEmpty ? self.faultsOfTopics(met, cluster, outlook: outlook) : met.faults
            if !cluster.faults.isEmpty {
                let command = "fleet topics plan --config \(self.config) --worker \(self.worker)"
                cluster.faults.append("'\(command)' shows what the topics lack, 'apply' makes it.")
            }
            guard met.faults.isEmpty else { return }
            let check = RightsCheck(
                kafka,
                of: cluster.broker,
                notes: cluster.notes,
                atMost: .seconds(self.wait)
            )
            try check.check(met.rights)
            if let state = met.state { try self.check(state.spreads, in: state.cluster, of: kafka) }
            if !cluster.notes.isWhole {
                Console.line("unknown: whether the worker may write to its topics")
            }
        }
    }

    /// Looks into the topics of a state, as a worker does before it joins its group.
    private func check(
        _ spreads: [StateSpread],
        in cluster: ClusterMetadata,
        of kafka: KafkaSettings
    ) throws {
        let memory = try KafkaMemory(kafka.readerProperties.merging(["log_level": "0"]) { $1 })
        for spread in spreads {
            do {
                try spread.check(
                    memory,
                    partitions: cluster.partitionCounts[spread.topic] ?? 0,
                    atMost: .seconds(self.wait),
                    pausingOn: memory.descriptor
                )
            } catch let error as KafkaError {
                Console.line(
                    "unknown: with how many partitions '\(spread.topic)' was written: \(error.message)"
                )
            }
        }
    }

    /// Checks the settings of topics. Also prints the warnings, which do not keep a worker from starting.
    private func faultsOfTopics(
        _ met: Met,
        _ cluster: ClusterLook,
        outlook look: ([String: TopicSettings]) -> Outlook
    ) -> [String] {
        do throws(KafkaError) {
            let settings = try cluster.notes.settings(
                of: met.described,
                cluster.broker,
                atMost: .seconds(self.wait)
            )
            let outlook = look(settings)
            for warning in outlook.warnings { Console.line("warning: \(warning)") }
            for note in outlook.notes { Console.line("note: \(note)") }
            for topic in outlook.unknown {
                Console.line("unknown: how long '\(topic)' keeps records, and how large ones it takes")
            }
            return outlook.faults
        } catch {
            Console.line(
                "unknown: how long topics keep records, and how large ones they take: \(error.message)"
            )
            return []
        }
    }
}
