package import WireFormats

/// The state of one record during the calls of one attempt.
package struct ReceiptJob: Hashable, Sendable {
    /// The question of the present call.
    package enum Step: Hashable, Sendable {
        /// verifyReceipt; the value is the receipt in base64.
        case verifyReceipt(String)
        /// A request of the App Store Server API.
        case serverAPI(AppStoreCall)
    }

    /// The fields of the record that the result repeats.
    var header: ReceiptHeader
    /// The purchase that the client claims.
    var claim: StoreClaim
    /// The form of the receipt; nil if there is no receipt.
    var form: ReceiptForm?
    /// The SHA-256 of the receipt; empty if there is no receipt.
    var digest: [UInt8] = []
    /// The purchases in the receipt itself, verified or not; nil if there is no receipt.
    var local: StorePurchases?
    /// How far the receipt is verified; nil if there is no receipt.
    var credibility: LocalVerifier.Credibility?
    /// The environment that the receipt names. In a receipt of iOS 6 anybody can forge it.
    var likelyEnvironment: StoreEnvironment?

    /// The question of the present call.
    var step: Step
    /// The host of the present call.
    var host: StoreHost
    /// The hosts that were asked before in this attempt.
    var visited: Set<StoreHost> = []
    /// The number of calls of this attempt, including the present one.
    var calls = 1
    /// The purchases that the App Store Server API has returned so far; nil before its first good answer.
    var gathered: StorePurchases?
    /// The transaction about which the App Store Server API was asked first.
    var asked: StoreTransactionID?
    /// Whether the state of the subscription has been read.
    var hasAskedForSubscriptions = false
    /// How much of the purchase history has been read.
    var history = History.unread
    /// The number of pages of the history that were read.
    var pages = 0
    /// Whether the claimed transaction was found in the history of a transaction of the receipt.
    var isInHistory = false
    /// The hosts that have refused our token. They have said nothing about the purchase.
    var refusals: Set<StoreHost> = []
    /// When the token of the present call was made, in milliseconds since 1970.
    var signedAt: Int64 = 0
    /// Whether the present call repeats one whose token was refused, with a new token.
    var isRenewed = false
    /// The serial number of the app's shared secret in the present call.
    var secretSerial = 0

    /// How much of the purchase history has been read.
    enum History: Hashable, Sendable {
        /// No page has been read.
        case unread
        /// The next page is asked for with this revision.
        case next(revision: String)
        /// All pages have been read.
        case whole
    }

    /// Returns whether the claimed transaction belongs to the sender of the receipt, as far as is known: it
    /// is in the receipt or its history, or belongs to a subscription in the receipt. True if there is no
    /// receipt, or if no transaction is claimed.
    func holdsClaim(_ found: StorePurchases) -> Bool {
        guard let id = self.claim.transactionID, self.local != nil, !self.isInHistory else { return true }
        let original = found.transactions.first { $0.transactionID == id }?.originalTransactionID
        let local = self.localIDs
        return local.contains(ExactText(id)) || original.map { local.contains(ExactText($0)) } ?? false
    }

    /// The ids and the original ids of all transactions in the receipt, which anybody can write.
    private var localIDs: Set<ExactText> {
        let transactions = self.local?.transactions ?? []
        let ids = transactions.flatMap { [$0.transactionID, $0.originalTransactionID].compactMap(\.self) }
        return Set(ids.map { ExactText($0) })
    }

    /// The transaction whose history is read. If the claimed transaction is not in the receipt, it is a
    /// transaction of the receipt, because the history must show that both belong to one person. Otherwise it
    /// is the one that was asked about.
    var historyID: StoreTransactionID? {
        guard let id = self.claim.transactionID, let local, !self.localIDs.contains(ExactText(id)) else {
            return self.asked
        }
        return local.newestID(of: nil)
    }

    /// Whether the receipt itself names the app of the record.
    var isOurs: Bool { self.local?.bundleID?.isExactly(self.claim.bundleID) ?? false }

    /// Whether a rejection of the present call may be final. The sandbox may reject only after production was
    /// asked.
    var mayBeRejected: Bool { self.host == .production || self.visited.contains(.production) }

    /// Returns the job for a repetition at the same host with a new token.
    func renewed() -> ReceiptJob {
        var job = self
        job.isRenewed = true
        job.calls += 1
        return job
    }

    /// Returns the job for the other host.
    ///
    /// - Parameter isRefused: whether the present host has refused our token.
    func elsewhere(isRefused: Bool = false) -> ReceiptJob {
        var job = self
        if isRefused { job.refusals.insert(self.host) }
        job.isRenewed = false
        job.visited.insert(self.host)
        job.host = self.host.other
        job.calls += 1
        return job
    }

    /// Returns the job for another question to the same host.
    func next(_ call: AppStoreCall) -> ReceiptJob {
        var job = self
        job.step = .serverAPI(call)
        job.isRenewed = false
        job.calls += 1
        return job
    }
}

extension StorePurchases {
    /// Returns the newest transaction that can be asked about: of the given product if there is one,
    /// otherwise of any product. A purchase that Apple took back is chosen only if there is no other.
    func newestID(of product: String?) -> StoreTransactionID? {
        let own = self.transactions.filter { transaction in
            product.flatMap { transaction.productID?.isExactly($0) } ?? false
        }
        let candidates = (own.isEmpty ? self.transactions : own).filter {
            $0.transactionID.flatMap { StoreTransactionID($0) } != nil
        }
        let newest = candidates.max {
            ($0.isRevoked ? 0 : 1, $0.purchasedAt ?? .min) < ($1.isRevoked ? 0 : 1, $1.purchasedAt ?? .min)
        }
        return newest?.transactionID.flatMap { StoreTransactionID($0) }
    }
}
