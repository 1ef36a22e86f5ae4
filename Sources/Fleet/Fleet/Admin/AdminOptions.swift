import ArgumentParser
import Glibc
import Operations
import ServiceKit
import Terminal

/// The options that name a running process, and how its answer is shown.
struct AdminOptions: ParsableArguments {
    @Option(
        name: [.customLong("socket"), .customShort("s")],
        help: ArgumentHelp("The worker's admin.socket.", valueName: "path")
    )
    var socket: String?

    @Option(
        name: [.customLong("config"), .customShort("c")],
        help: ArgumentHelp("The worker's settings, whose admin.socket says the same.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    @Flag(help: "Print the answer as JSON.")
    var json = false

    func validate() throws {
        guard (self.socket == nil) != (self.config == nil) else {
            throw ValidationError("Name the worker by --socket PATH or by its settings with --config FILE.")
        }
    }

    /// The way to the process.
    ///
    /// - Throws: `SettingsFaults` if the file cannot be read, `AdminConnection.Failure` if it names no socket.
    private func connection() throws -> AdminConnection {
        if let socket { return AdminConnection(path: socket) }
        let reader = SettingsReader(file: try self.config.map { try SettingsFile(path: $0) })
        guard let path = OperationSettings(reader).adminSocket else {
            throw AdminConnection.Failure(description: "\(self.config ?? "") sets no admin.socket")
        }
        return AdminConnection(path: path)
    }

    /// Gives an order, or asks for the status if there is none, and prints the answer.
    ///
    /// - Throws: `AdminConnection.Failure`.
    func carryOut(_ order: OperatorOrder?, until wish: StopWish) throws {
        let connection = try self.connection()
        let status =
            try order.map { try connection.give($0, until: wish) } ?? connection.status(until: wish)
        let text: String
        if self.json {
            text = try JSONLine.text(of: status) + "\n"
        } else {
            text = status.lines.map { "\($0)\n" }.joined()
        }
        guard Console.write(Array(text.utf8), to: STDOUT_FILENO) else { throw ExitCode(1) }
    }
}
