import DeadLetters
import Synchronization

/// What the pages say about how fresh they are.
final class IndexWatch: Sendable {
    struct Standing: Sendable {
        /// When the index was last up to date: milliseconds since 1970; nil if it has not been yet.
        var refreshedAt: Int64?
        /// Of a look that takes its time.
        var progress: ClusterReader.Progress?
        /// Why the latest look failed; nil if it did not.
        var trouble: String?
        var retention: [RetentionView] = []
    }

    private let standing = Mutex(Standing())

    var now: Standing { self.standing.withLock { $0 } }

    func refreshed(at time: Int64, _ retention: [RetentionView]) {
        self.standing.withLock { $0 = Standing(refreshedAt: time, retention: retention) }
    }

    func failed(because trouble: String) {
        self.standing.withLock {
            $0.trouble = trouble
            $0.progress = nil
        }
    }

    func came(to progress: ClusterReader.Progress) {
        self.standing.withLock { $0.progress = progress }
    }
}
