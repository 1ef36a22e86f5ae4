package import ArgumentParser
import DeadLetters
import Kafka
import ServiceKit
import Terminal

/// The program `dead-letters`: shows what has failed, and replays it once.
package struct DeadLettersCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "See what failed and why, mend it, replay it once, and follow how it ends.",
        discussion: """
            Looking never changes anything: no consumer group is joined and nothing is committed. A command that changes something \
            says so, does nothing without --go or a reason, and is written to the audit trail with your name.

            Exit codes: 0 all of it was done; 1 it could not be done; 3 a part was left, refused or has failed again; \
            4 nothing matches; 5 somebody else is at it; 64 the command was misspelt; 130 it was interrupted.

            --generate-completion-script bash (or zsh, fish) prints the completion for a shell.
            """,
        version: WorkerIdentity.version,
        subcommands: [
            StatsCommand.self, GroupsCommand.self, ListCommand.self, ShowCommand.self, ReplayCommand.self,
            EditCommand.self, OutcomesCommand.self, DiscardCommand.self, RestoreCommand.self,
            NoteCommand.self,
            AssignCommand.self, ExportCommand.self, WatchCommand.self, ParkedCommand.self,
            RetentionCommand.self, AuditCommand.self,
            ServeCommand.self, CheckConfigCommand.self, SettingsCommand.self,
        ]
    )

    package init() {}
}

/// The exit codes of a command that does not end with success.
extension ExitCode {
    /// A part of the letters was refused, left, or has failed again.
    static let inPart = ExitCode(3)
    /// No letter or topic fits what the user asked for.
    static let nothingMatches = ExitCode(4)
    /// The command gave way to another process that replays or discards, or was fenced by it.
    static let takenOver = ExitCode(5)
    /// A signal interrupted the command.
    static let interrupted = ExitCode(130)
}

extension Desk.NoSuchLetter: ErrorWithExitCode {
    /// Exit code 4, as for a filter that no letter meets.
    package var exitCode: Int32 { ExitCode.nothingMatches.rawValue }
}

extension Desk.NoSuchGroup: ErrorWithExitCode {
    /// Exit code 4, as for a filter that no letter meets.
    package var exitCode: Int32 { ExitCode.nothingMatches.rawValue }
}

extension TopicReader.MissingTopic: ErrorWithExitCode {
    /// Exit code 4, as for a filter that no letter meets.
    package var exitCode: Int32 { ExitCode.nothingMatches.rawValue }
}
