import ArgumentParser
import Kafka
import Operations
import Terminal
import WorkerKit

/// `fleet preflight`: would a worker with these settings start?
struct PreflightCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "preflight",
        abstract:
            "Say everything that would keep a worker from starting on its cluster; exit 1 if there is something."
    )

    @Option(name: [.customLong("config"), .customShort("c")], help: "The worker's settings, a YAML file.")
    var config: String

    @Option(help: ArgumentHelp("Whose settings they are.", valueName: "worker"))
    var worker = Roster.activation.name

    @Option(help: ArgumentHelp("How long the cluster may take to answer.", valueName: "seconds"))
    var wait = 10

    func validate() throws {
        guard Roster.workers.contains(where: { $0.name == self.worker }) else {
            let names = Roster.workers.map(\.name).joined(separator: ", ")
            throw ValidationError("No worker is called '\(self.worker)'; there are: \(names).")
        }
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

    private func faults() throws -> [String] {
        guard let identity = Roster.workers.first(where: { $0.name == self.worker }) else { return [] }
        let file: SettingsFile
        do throws(SettingsFaults) {
            file = try SettingsFile(path: self.config)
        } catch {
            return error.faults.map(\.description)
        }
        let reader = SettingsReader(file: file)
        let settings = WorkerSettings(reader, identity)
        let faults = Self.faults(of: reader)
        guard faults.isEmpty else { return faults }
        return try self.faultsOfCluster(settings)
    }

    /// What is wrong with the settings that all workers share. A worker's own it knows itself: `check-config` asks it.
    private static func faults(of reader: SettingsReader) -> [String] {
        do throws(SettingsFaults) {
            try reader.finish()
            return []
        } catch {
            let shared = [
                "kafka", "worker", "retry", "breaker", "hold", "http", "budget", "rate", "health", "log",
            ]
            return error.faults.filter { fault in
                guard fault.severity == .fault, let section = fault.key?.prefix(while: { $0 != "." }) else {
                    return false
                }
                return shared.contains(String(section))
            }.map(\.description)
        }
    }

    private func faultsOfCluster(_ settings: WorkerSettings) throws -> [String] {
        // What the client would log about a broker that is not there is said below, in one sentence.
        let consumer = try Consumer(settings.kafka.consumerProperties.merging(["log_level": "0"]) { $1 })
        do throws(KafkaError) {
            let cluster = try consumer.metadata(atMost: .seconds(self.wait))
            let check = Preflight(settings.engine)
            let faults = check.faults(in: cluster)
            return faults.isEmpty ? self.faultsOfTopics(check, consumer) : faults
        } catch {
            return ["kafka.brokers: no answer from \(settings.kafka.brokers): \(error.message)."]
        }
    }

    /// Says also what does not keep a worker from its work.
    private func faultsOfTopics(_ check: Preflight, _ consumer: Consumer) -> [String] {
        do throws(KafkaError) {
            let settings = try consumer.settings(of: check.describedTopics, atMost: .seconds(self.wait))
            let outlook = check.outlook(settings)
            for warning in outlook.warnings { Console.line("warning: \(warning)") }
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
