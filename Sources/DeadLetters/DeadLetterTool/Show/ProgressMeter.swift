import DeadLetters
import Glibc
import Terminal

/// Shows the progress of a long refresh on one line of standard error, which is written over. Shows nothing
/// if standard error is no terminal.
final class ProgressMeter {
    private let isWatched = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var hasShown = false

    /// Shows the progress, unless the refresh has taken less than 500 ms.
    func show(_ progress: ClusterReader.Progress) {
        guard self.isWatched, ContinuousClock.now - self.start > .milliseconds(500), progress.total > 0 else {
            return
        }
        self.hasShown = true
        let percent = progress.done * 100 / progress.total
        Console.write(
            Array("\rReading dead letters: \(progress.done) of \(progress.total) (\(percent) %) ".utf8),
            to: STDERR_FILENO
        )
    }

    /// Removes the line.
    func finish() {
        guard self.hasShown else { return }
        Console.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
    }
}
