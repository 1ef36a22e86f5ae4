import Glibc
import Terminal

extension Stage {
    /// A show from the first line to the exit code. Whoever it has started is its own to dismiss.
    ///
    /// - Parameter command: who complains if it fails.
    /// - Returns: what the show returns; 130 if it was not wanted to its end, 1 if it could not go on.
    static func show(_ command: String, _ wish: StopWish, _ play: (Stage) throws -> Int32) -> Int32 {
        // A reader that goes away, such as `head`, is noticed when a write fails; everybody is then sent home.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            return try play(try Stage(wish))
        } catch is Interrupted {
            Console.line("Interrupted: everything that was started is stopped.")
            return 130
        } catch {
            Console.complain("\(command): \(error)")
            return 1
        }
    }
}
