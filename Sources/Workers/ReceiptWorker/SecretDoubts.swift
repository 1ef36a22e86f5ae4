/// The receipts of ours for which Apple gave an answer that a wrong shared secret or a fault of Apple would
/// explain. They are counted for each app and status, since the last good answer.
///
/// Apple gives such an answer about a receipt, and clients choose the receipts. One odd receipt must
/// therefore not stop an app, however often it is sent. Several different receipts without a good answer in
/// between can only mean that the secret is wrong or that Apple is at fault.
struct SecretDoubts: Sendable {
    private struct Subject: Hashable {
        var app: String
        var status: Int64
    }

    private struct Doubt {
        /// The serial number of the app's shared secret when the doubt began. A doubt about an earlier secret
        /// counts for nothing.
        var secretSerial: Int
        /// The digests of the receipts.
        var receipts: Set<[UInt8]> = []
    }

    /// Apple's status for a wrong shared secret.
    static let secretStatus: Int64 = 21004
    /// The greatest number of pairs of app and status that are remembered. Apple has a few dozen statuses.
    private static let subjectsLimit = 1_000

    private let limit: Int
    private var doubts: [Subject: Doubt] = [:]

    /// Creates a memory without doubts.
    ///
    /// - Parameter limit: the number of different receipts that settle the doubt, at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Records that Apple gave this status for a receipt.
    ///
    /// - Parameters:
    ///   - receipt: the digest of the receipt.
    ///   - app: the bundle id of the app.
    ///   - status: Apple's status.
    ///   - secretSerial: the serial number of the app's present shared secret.
    /// - Returns: whether the receipt is not the cause, because enough different receipts got the same
    ///   status since the shared secret was replaced.
    mutating func refused(
        _ receipt: [UInt8],
        of app: String,
        by status: Int64,
        secretSerial: Int
    ) -> Bool {
        let subject = Subject(app: app, status: status)
        let known = self.doubts[subject]
        guard known != nil || self.doubts.count < Self.subjectsLimit else { return false }
        var doubt = Doubt(secretSerial: secretSerial)
        if let known, known.secretSerial == secretSerial { doubt = known }
        guard doubt.receipts.count < self.limit else { return true }
        doubt.receipts.insert(receipt)
        self.doubts[subject] = doubt
        return doubt.receipts.count >= self.limit
    }

    /// Records that Apple has approved a receipt of an app, and forgets the doubts that this refutes.
    ///
    /// - Parameters:
    ///   - app: the bundle id of the app.
    ///   - hasTakenSecret: whether Apple has also checked the shared secret, as it does only for
    ///     subscriptions.
    mutating func approved(of app: String, hasTakenSecret: Bool) {
        guard !self.doubts.isEmpty else { return }
        self.doubts = self.doubts.filter {
            $0.key.app != app || ($0.key.status == Self.secretStatus && !hasTakenSecret)
        }
    }
}
