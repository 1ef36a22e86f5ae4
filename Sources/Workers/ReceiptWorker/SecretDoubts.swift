import Synchronization

/// The receipts of ours for which Apple gave an answer that a wrong shared secret or a fault of Apple would
/// explain. They are counted for each app and status, since the last good answer.
///
/// Apple gives such an answer about a receipt, and clients choose the receipts. One odd receipt must
/// therefore not stop an app, however often it is sent. Several different receipts without a good answer in
/// between can only mean that the secret is wrong or that Apple is at fault.
///
/// The object is safe to use from any thread.
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
    /// The greatest number of pairs of app and status that are remembered. Apple has a few dozen statuses.
    private static let subjectsLimit = 1_000

    private let limit: Int
    private let state = Mutex(State())

    /// Creates an object that remembers nothing until `goLive()`.
    ///
    /// - Parameter limit: the number of different receipts that settle the doubt, at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Starts to remember Apple's answers. A command that tries a case by hand does not call this: it leaves
    /// no trace, and takes the first answer for true.
    func goLive() { self.state.withLock { $0.isLive = true } }

    /// Records that Apple gave this status for a receipt.
    ///
    /// - Parameters:
    ///   - receipt: the digest of the receipt.
    ///   - app: the bundle id of the app.
    ///   - status: Apple's status.
    /// - Returns: whether the receipt is not the cause, because enough different receipts got the same
    ///   status.
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

    /// Records that Apple has approved a receipt of an app, and forgets the doubts that this refutes.
    ///
    /// - Parameters:
    ///   - app: the bundle id of the app.
    ///   - hasTakenSecret: whether Apple has also checked the shared secret, as it does only for
    ///     subscriptions.
    func approved(of app: String, hasTakenSecret: Bool) {
        self.state.withLock { state in
            guard !state.receipts.isEmpty else { return }
            state.receipts = state.receipts.filter {
                $0.key.app != app || ($0.key.status == Self.secretStatus && !hasTakenSecret)
            }
        }
    }

    /// Forgets all doubts about an app whose shared secret was replaced. They were about the old secret.
    func secretChanged(of app: String) { self.approved(of: app, hasTakenSecret: true) }
}
