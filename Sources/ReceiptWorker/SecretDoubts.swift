import Synchronization

/// Receipts of ours for which Apple has called our shared secret wrong, of each app, since it last took the secret.
///
/// Apple says it of a receipt, not only of a secret, and one odd receipt must not stop an app. Several different ones,
/// with none between that went well, can only mean the secret.
final class SecretDoubts: Sendable {
    private struct State {
        var isLive = false
        var receipts: [String: Set<[UInt8]>] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: how many different receipts it takes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// From now on it is remembered what Apple says. A case that is played through by hand leaves no trace, and takes
    /// Apple at its word.
    func goLive() { self.state.withLock { $0.isLive = true } }

    /// Apple calls the secret wrong for a receipt, which is known by its digest.
    ///
    /// - Returns: whether to believe it.
    func refused(_ receipt: [UInt8], of app: String) -> Bool {
        self.state.withLock { state in
            guard state.isLive else { return true }
            guard state.receipts[app, default: []].count < self.limit else { return true }
            state.receipts[app, default: []].insert(receipt)
            return state.receipts[app, default: []].count >= self.limit
        }
    }

    /// Apple has taken the secret of an app.
    func taken(of app: String) {
        self.state.withLock { $0.receipts[app] = nil }
    }
}
