import ArgumentParser
import DeadLetters
import Foundation
import Operations
import ServiceKit
import Terminal

/// The options with which every command reaches a cluster and its dead letters. An option overrides the
/// settings file.
struct DeskOptions: ParsableArguments {
    @Option(help: "The settings, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(help: "Where the cluster is: host:port[,host:port…].")
    var brokers: String?

    @Option(
        name: .customLong("property"),
        help: ArgumentHelp("A further librdkafka property; can be repeated.", valueName: "name=value")
    )
    var properties: [PropertyArgument] = []

    @Option(
        name: .customLong("dead-letter-topic"),
        help: ArgumentHelp(
            "A topic of dead letters; a * stands for any text; can be repeated.",
            valueName: "topic"
        )
    )
    var topics: [String] = []

    @Option(help: "File of the local index; it can be deleted at any time.", completion: .file())
    var index: String?

    @Option(help: "Your name in ledger and audit trail.")
    var user: String?

    @Flag(help: "Print JSON instead of text.")
    var json = false

    /// Reads the settings and applies the options.
    ///
    /// - Throws: `SettingsFaults` with one line for each faulty setting; `Complaint` for a user name that is
    ///   empty or longer than 128 bytes.
    func loaded() throws -> (
        desk: DeadLetterSettings, serve: ServeSettings, loginFiles: [SecretFileWatch.File]
    ) {
        let reader = SettingsReader(file: try self.config.map { try SettingsFile(path: $0) })
        let tool = ToolSettings(reader)
        for warning in try reader.finish() { Console.complain("\(warning)") }
        // An option counts more than the settings, so the file of the settings is not watched then.
        var watched = tool.properties
        for property in self.properties {
            watched.files[property.name] = nil
            watched.values[property.name] = Secret(property.value)
        }
        return (try self.settings(tool), tool.serve, watched.watchedFiles)
    }

    /// Applies the options to the settings.
    private func settings(_ tool: ToolSettings) throws -> DeadLetterSettings {
        var properties = tool.properties.values.mapValues { $0.reveal() }
        properties["bootstrap.servers"] = self.brokers ?? tool.brokers
        for property in self.properties { properties[property.name] = property.value }
        let user = self.user ?? tool.user ?? NSUserName()
        guard ToolSettings.lengthsOfUsers.contains(user.utf8.count) else {
            throw Complaint("a user's name has 1 to 128 bytes")
        }
        return DeadLetterSettings(
            properties: properties,
            user: user,
            salt: try tool.salt ?? MarkSalt.ofThisUser(ProcessInfo.processInfo.environment),
            topics: self.topics.isEmpty ? tool.topics : self.topics,
            ledgerTopic: tool.ledgerTopic,
            auditTopic: tool.auditTopic,
            targets: tool.targets,
            resultSuffix: tool.resultSuffix,
            readable: tool.readable,
            indexPath: self.index ?? tool.indexPath,
            patience: tool.patience
        )
    }

    /// Opens a desk and refreshes its index. The progress of a long refresh goes to standard error.
    func desk(refreshing: Bool = true) throws -> Desk {
        let reader = try ClusterReader(
            try self.loaded().desk,
            environment: ProcessInfo.processInfo.environment
        )
        let desk = Desk(reader) { Timestamp.now.millisecondsSince1970 }
        if refreshing {
            let meter = ProgressMeter()
            try desk.refresh { meter.show($0) }
            meter.finish()
        }
        return desk
    }
}
