import Synchronization

/// Receipts of ours for which Apple gave an answer that a wrong shared secret, or trouble of Apple's, would explain, of
/// each app and each status, since it last gave a good one.
///
/// Apple says it of a receipt, and clients choose receipts: one odd receipt must not stop an app, however often it is
/// sent. Several different ones, with none between that went well, can only mean the secret, or Apple.
final class SecretDoubts: Sendable {
    private struct Subject: Hashable {
        var app: String
        var status: Int64
    }

    private struct State {
        var isLive = false
        var receipts: [Subject: Set<[UInt8]>] = [:]
    }

    /// Apple's status for a wrong shared secret.
    static let secretStatus: Int64 = 21004
    /// Statuses that are kept at most, of all apps: Apple has a few dozen.
    private static let subjectsLimit = 1_000

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: how many different receipts it takes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// From now on it is remembered what Apple says. A case that is played through by hand leaves no trace, and takes
    /// Apple at its word.
    func goLive() { self.state.withLock { $0.isLive = true } }

    /// Apple gave this status for a receipt, which is known by its digest.
    ///
    /// - Returns: whether to believe that the receipt is not the cause.
    func refused(_ receipt: [UInt8], of app: String, by status: Int64) -> Bool {
        self.state.withLock { state in
            guard state.isLive else { return true }
            let subject = Subject(app: app, status: status)
            var receipts = state.receipts[subject] ?? []
            guard receipts.count < self.limit else { return true }
            guard !receipts.isEmpty || state.receipts.count < Self.subjectsLimit else { return false }
            receipts.insert(receipt)
            state.receipts[subject] = receipts
            return receipts.count >= self.limit
        }
    }

    /// Apple has approved of a receipt of an app.
    ///
    /// - Parameter hasTakenSecret: whether it has looked at the shared secret too, as it does for subscriptions only.
    func approved(of app: String, hasTakenSecret: Bool) {
        self.state.withLock { state in
            guard !state.receipts.isEmpty else { return }
            state.receipts = state.receipts.filter {
                $0.key.app != app || ($0.key.status == Self.secretStatus && !hasTakenSecret)
            }
        }
    }

    /// The app has another shared secret: what Apple said of the one before is over.
    func secretChanged(of app: String) { self.approved(of: app, hasTakenSecret: true) }
}
