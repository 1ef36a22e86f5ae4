import ArgumentParser
import EventThread
import Glibc
import Harness
import Terminal

/// `flotilla-lab leash`: runs a program that must not outlive the process that started it.
///
/// A program that does not know its parent would keep running if the parent were killed. This command runs
/// between the two. Its standard input ends when the parent ends, for whatever reason, and the program then
/// receives SIGTERM. The program is in the same process group, so both can be killed with one signal. Lines on standard
/// input are orders (`LeashOrder`).
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
        // The process that reads standard error may exit before the program does.
        _ = signal(SIGPIPE, SIG_IGN)
        throw ExitCode(try Self.hold(program, Array(words.dropFirst()), wish: wish))
    }

    /// Runs the program until it exits.
    ///
    /// - Returns: the exit code to use.
    private static func hold(_ program: String, _ arguments: [String], wish: StopWish) throws -> Int32 {
        let child = try ChildProcess(program, arguments, streams: .inherited)
        var watched = STDIN_FILENO
        var passedOn = 0
        var orders = LineInput(STDIN_FILENO)
        while child.exit == nil {
            var wait = Wait(on: child.descriptors + [wish.descriptor, watched])
            wait(atMost: .seconds(3_600))
            child.serve()
            if watched >= 0, wait.isReadable(at: child.descriptors.count + 1) {
                let isOpen = (try? orders.fill()) ?? false
                while let line = orders.next() {
                    switch LeashOrder(rawValue: String(decoding: line, as: UTF8.self)) {
                    case .pause: child.pause()
                    case .resume: child.resume()
                    case nil: throw Complaint("standard input has a line that is no order")
                    }
                }
                if !isOpen { watched = -1 }
            }
            // A parent that sends a signal also closes standard input and means one request by both. Only a
            // second signal is a second request.
            let asked = max(wish.count, watched < 0 ? 1 : 0)
            while passedOn < asked {
                passedOn += 1
                child.terminate()
            }
        }
        return child.exit?.shellCode ?? 1
    }
}
