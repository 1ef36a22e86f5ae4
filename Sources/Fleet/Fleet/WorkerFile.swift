import ActivationIntake
import ArgumentParser
import Operations
import ServiceKit
import WorkerKit

/// The options that name a worker's settings.
struct WorkerOptions: ParsableArguments {
    @Option(
        name: [.customLong("config"), .customShort("c")],
        help: "The worker's settings, a YAML file.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String

    @Option(
        help: ArgumentHelp("Whose settings they are.", valueName: "worker"),
        completion: .list(Roster.programs.map(\.name))
    )
    var worker = Roster.activation.name

    func validate() throws { _ = try Roster.program(self.worker) }
}

/// A worker's settings as far as an operator's command needs them: its cluster and its topics.
struct WorkerFile {
    let kafka: KafkaSettings
    /// The topics of the worker, and how they have to be.
    let topics: [WantedTopic]
    /// The salt of the marks in the worker's log; nil if the settings name none.
    let logSalt: Secret?

    /// Reads the settings.
    ///
    /// - Parameter worker: The name of the worker, the intake or the gateway.
    /// - Throws: `SettingsFaults` if the file cannot be read, `FaultySettings` if settings are wrong that all
    ///   workers share, `ValidationError` for a name that no worker has.
    init(_ path: String, of worker: String) throws {
        let reader = SettingsReader(file: try SettingsFile(path: path))
        let identity = try Roster.program(worker)
        var own: [String] = []
        switch identity.name {
        case Roster.pushArrival.name:
            let preflight = PushPreflight(reader, identity)
            (self.topics, self.kafka) = (preflight.wanted, preflight.kafka)
            self.logSalt = preflight.logSalt
        case Roster.intake.name:
            let settings = IntakeSettings(reader)
            (self.topics, self.kafka) = (WantedTopic.topics(of: settings), settings.kafka)
            self.logSalt = settings.operation.logSalt
            own = PreflightCommand.sectionsOfIntake
        case Roster.gateway.name:
            let gateway = GatewayTopics(reader)
            (self.topics, self.kafka) = (gateway.wanted, gateway.kafka)
            self.logSalt = nil
        default:
            let settings = WorkerSettings(reader, identity)
            self.topics = WantedTopic.topics(of: PreflightCommand.check(settings, identity))
            self.kafka = settings.kafka
            self.logSalt = settings.operation.logSalt
        }
        let faults = PreflightCommand.faults(of: reader, own: own)
        guard faults.isEmpty else { throw FaultySettings(faults: faults) }
    }
}

/// Settings that cannot be used.
struct FaultySettings: Error, CustomStringConvertible {
    var faults: [String]

    var description: String { self.faults.joined(separator: "\n") }
}
