import DeadLetters
import Synchronization

/// The state of the index for the pages: how fresh it is, and which error keeps it from being refreshed. Any
/// thread may use it.
final class IndexWatch: Sendable {
    /// The state at one moment.
    struct Standing: Sendable {
        /// The time of the last successful refresh, in milliseconds since 1970; nil before the first one.
        var refreshedAt: Int64?
        /// The progress of the present refresh, if it takes long enough to report any.
        var progress: ClusterReader.Progress?
        /// The error of the latest refresh; nil if it succeeded.
        var trouble: String?
        /// The retention figures of the last successful refresh.
        var retention: [RetentionView] = []
        /// The error that keeps events from the webhook; nil if it took the last one.
        var webhookTrouble: String?
    }

    private let standing = Mutex(Standing())

    /// The present state.
    var now: Standing { self.standing.withLock { $0 } }

    /// Notes a successful refresh, which clears error and progress.
    func refreshed(at time: Int64, _ retention: [RetentionView]) {
        self.standing.withLock {
            $0 = Standing(refreshedAt: time, retention: retention, webhookTrouble: $0.webhookTrouble)
        }
    }

    /// Notes that a refresh has failed. The figures of the last successful one stay.
    func failed(because trouble: String) {
        self.standing.withLock {
            $0.trouble = trouble
            $0.progress = nil
        }
    }

    /// Notes why events do not reach the webhook; nil if they do.
    func webhook(isSilentBecause trouble: String?) {
        self.standing.withLock { $0.webhookTrouble = trouble }
    }

    /// Notes how far the present refresh has come.
    func came(to progress: ClusterReader.Progress) {
        self.standing.withLock { $0.progress = progress }
    }
}
