import ArgumentParser
import Logging
import ServiceKit
import Terminal

/// `fleet admin log-level`: sets the level of the log.
struct AdminLogLevelCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Set the level of the log; without a level, take the one of the settings again."
    )

    @OptionGroup var admin: AdminOptions

    @Argument(
        help: "trace, debug, info, notice, warning, error or critical.",
        completion: .list(Logger.Level.allCases.map(\.rawValue))
    )
    var level: String?

    func validate() throws {
        guard self.level.map({ Logger.Level(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("The level is trace, debug, info, notice, warning, error or critical.")
        }
    }

    func carryOut(until wish: StopWish) throws {
        try self.admin.carryOut(.logLevel(self.level.flatMap { Logger.Level(rawValue: $0) }), until: wish)
    }
}
