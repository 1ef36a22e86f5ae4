import Glibc
package import Terminal

extension Harness {
    /// Runs a demo, a chaos run or a comparison with a new harness. `run` must itself stop the processes that
    /// it has started.
    ///
    /// - Parameter command: the command's name for error messages.
    /// - Returns: the exit code of `run`; 130 if the user stopped it, 1 if it failed.
    package static func show(_ command: String, _ wish: StopWish, run: (Harness) throws -> Int32) -> Int32 {
        // If the reader of standard output exits, such as `head`, the next write fails, and the run ends as
        // if interrupted. SIGPIPE would end this process before that.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            return try run(try Harness(wish))
        } catch is Interrupted {
            Console.line("Interrupted: everything that was started is stopped.")
            return 130
        } catch {
            Console.complain("\(command): \(error)")
            return 1
        }
    }
}
