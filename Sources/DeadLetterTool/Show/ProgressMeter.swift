import DeadLetters
import Glibc
import Terminal

/// How far a long look has come, on one line of standard error that is written over; nothing where nobody watches.
final class ProgressMeter {
    private let isWatched = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var hasShown = false

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

    func finish() {
        guard self.hasShown else { return }
        Console.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
    }
}
