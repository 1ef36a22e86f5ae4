import ArgumentParser
import EventThread
import Glibc
import Terminal

/// `fleet leash`: runs a program that must not outlive whoever started it.
///
/// A program that knows nothing of its parent would stay behind if the parent were killed. This one stands between:
/// standard input ends with the parent, whatever ended it, and then the program gets its SIGTERM. It is of the same
/// process group, so that whoever wants to kill both can.
struct LeashCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "leash",
        abstract: "Run a program, and stop it with SIGTERM when standard input ends.",
        shouldDisplay: false
    )

    @Argument(parsing: .captureForPassthrough, help: "The program and its arguments.")
    var command: [String]

    func carryOut(until wish: StopWish) throws {
        let words = self.command.first == "--" ? Array(self.command.dropFirst()) : self.command
        guard let program = words.first else { throw Complaint("no program to run") }
        // Whoever reads our standard error may be gone before the program is.
        _ = signal(SIGPIPE, SIG_IGN)
        throw ExitCode(try Self.hold(program, Array(words.dropFirst()), wish))
    }

    private static func hold(_ program: String, _ arguments: [String], _ wish: StopWish) throws -> Int32 {
        let child = try ChildProcess(program, arguments, streams: .inherited)
        var watched = STDIN_FILENO
        var passedOn = 0
        var ignored = LineInput(STDIN_FILENO)
        while child.exit == nil {
            var wait = Wait(on: child.descriptors + [wish.descriptor, watched])
            wait(atMost: .seconds(3_600))
            child.serve()
            if watched >= 0, wait.isReadable(at: child.descriptors.count + 1) {
                let isOpen = (try? ignored.fill()) ?? false
                _ = ignored.takeAll()
                if !isOpen { watched = -1 }
            }
            // Whoever sends a signal closes our input too, and means one thing by both: a second one is impatience.
            let asked = max(wish.count, watched < 0 ? 1 : 0)
            while passedOn < asked {
                passedOn += 1
                child.terminate()
            }
        }
        return child.exit?.shellCode ?? 1
    }
}
