import ActivationIntake
package import ArgumentParser
import FlotillaRecords
package import Operations
import ServiceKit
package import WireFormats
import WorkerKit

/// The program of an `ActivationShell`: the commands of every shell, and the intake with the shell's encryptions.
package struct ActivationShellCommand<S: ActivationShell>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        let program = ShellCommand<ActivationShellProgram<S>>.configuration
        return CommandConfiguration(
            commandName: program.commandName,
            abstract: program.abstract,
            version: program.version,
            subcommands: program.subcommands + [IntakeCommand<ShellIntake<S>>.self],
            defaultSubcommand: program.defaultSubcommand
        )
    }

    package init() {}
}

/// The intake with the encryptions of a shell, whose settings stand in the section `shell` there too.
package enum ShellIntake<S: ActivationShell>: IntakeParts {
    package static func ciphers(_ reader: SettingsReader) -> UploadCiphers {
        UploadCiphers(S(Settings(reader.section("shell"))).ciphers)
    }
}
