import ArgumentParser
import DeadLetterPages
import Foundation
import Operations
import ServerTLS
import Terminal

/// `dead-letters check-config`: says every fault of a settings file.
struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Say every fault of a settings file with its line; exit 1 if there is one.",
        discussion: """
            Settings with which the pages would not be served are faults, too. No cluster is asked. dead-letters settings \
            lists every setting.
            """
    )

    @Argument(help: "The settings, a YAML file; without one, the environment alone.", completion: .file())
    var path: String?

    func run() throws {
        do {
            let reader = SettingsReader(file: try self.path.map { try SettingsFile(path: $0) })
            let tool = ToolSettings(reader)
            for warning in try reader.finish() { Console.complain("\(warning)") }
            let pages = tool.serve.pages(localUser: tool.user ?? NSUserName())
            try pages.check()
            if let files = pages.tls { _ = try ServedCertificate(files) }
        } catch {
            Console.complain("\(error)")
            throw ExitCode(1)
        }
        Console.line("\(self.path ?? "the environment"): no faults")
    }
}
