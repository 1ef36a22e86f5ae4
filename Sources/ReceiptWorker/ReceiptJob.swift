package import WireFormats

/// One receipt on its way through one call or several.
package struct ReceiptJob: Hashable, Sendable {
    /// What the call at hand asks.
    package enum Step: Hashable, Sendable {
        /// With the receipt as verifyReceipt wants it.
        case verifyReceipt(String)
        case serverAPI(AppStoreCall)
    }

    var header: ReceiptHeader
    var claim: StoreClaim
    var form: ReceiptForm?
    var digest: [UInt8] = []
    /// What the receipt itself says, whether or not it is to be believed.
    var local: StorePurchases?
    /// How far the receipt is verified; nil where there is no receipt.
    var credibility: LocalVerifier.Credibility?
    /// Where it says that it was bought. In a receipt of iOS 6 anybody may have put that.
    var likelyEnvironment: StoreEnvironment?

    var step: Step
    var host: StoreHost
    /// Hosts that have been asked before in this attempt.
    var visited: Set<StoreHost> = []
    /// Calls of this attempt, the one at hand included.
    var calls = 1
    /// What the App Store Server API has said so far.
    var gathered: StorePurchases?
    /// What it was asked about first.
    var asked: StoreTransactionID?
    var hasAskedForSubscriptions = false
    var history = History.unread
    var pages = 0
    /// The claimed transaction was found in the history of one of the receipt's.
    var isInHistory = false
    /// Hosts that took no token of ours. They have said nothing of what was asked.
    var refusals: Set<StoreHost> = []
    /// When the token that the call shows was made: milliseconds since 1970.
    var signedAt: Int64 = 0
    /// The same was refused for a token that had waited for too long.
    var isRenewed = false
    /// Which of the app's shared secrets the call shows.
    var secretSerial = 0

    /// How much of the purchase history has been read.
    enum History: Hashable, Sendable {
        case unread
        case next(revision: String)
        case whole
    }

    /// Whether what is claimed belongs to whoever sent the receipt, as far as is found: it stands in the receipt or in
    /// its history, or is of a subscription that does. True where there is no receipt.
    func holdsClaim(_ found: StorePurchases) -> Bool {
        guard let id = self.claim.transactionID, self.local != nil, !self.isInHistory else { return true }
        let original = found.transactions.first { $0.transactionID == id }?.originalTransactionID
        return self.localIDs.contains(id) || original.map(self.localIDs.contains) ?? false
    }

    private var localIDs: Set<String> {
        let transactions = self.local?.transactions ?? []
        return Set(transactions.flatMap { [$0.transactionID, $0.originalTransactionID].compactMap(\.self) })
    }

    /// Whose history can show that what is claimed is not somebody else's: a transaction of the receipt, where the
    /// claimed one is not there; otherwise the one that was asked about.
    var historyID: StoreTransactionID? {
        guard let id = self.claim.transactionID, let local, !self.localIDs.contains(id) else {
            return self.asked
        }
        return local.newestID(of: nil)
    }

    /// Whether it is known without Apple that the receipt is one of the app's.
    var isOurs: Bool { self.local?.bundleID == self.claim.bundleID }

    /// Whether a no to the call at hand would be the last word: the sandbox's only once production was asked.
    var mayBeRejected: Bool { self.host == .production || self.visited.contains(.production) }

    /// The same of the same host, with a token of now.
    func renewed() -> ReceiptJob {
        var job = self
        job.isRenewed = true
        job.calls += 1
        return job
    }

    /// The same of the other host.
    ///
    /// - Parameter isRefused: whether this host took no token of ours.
    func elsewhere(isRefused: Bool = false) -> ReceiptJob {
        var job = self
        if isRefused { job.refusals.insert(self.host) }
        job.isRenewed = false
        job.visited.insert(self.host)
        job.host = self.host.other
        job.calls += 1
        return job
    }

    /// Another question to the same host.
    func next(_ call: AppStoreCall) -> ReceiptJob {
        var job = self
        job.step = .serverAPI(call)
        job.isRenewed = false
        job.calls += 1
        return job
    }
}

extension StorePurchases {
    /// The id to ask about: of the newest purchase of a product, if there is one, or of any; the newest that was not
    /// taken back, if there is one.
    func newestID(of product: String?) -> StoreTransactionID? {
        let own = self.transactions.filter { product != nil && $0.productID == product }
        let candidates = (own.isEmpty ? self.transactions : own).filter {
            $0.transactionID.flatMap { StoreTransactionID($0) } != nil
        }
        let newest = candidates.max {
            ($0.isRevoked ? 0 : 1, $0.purchasedAt ?? .min) < ($1.isRevoked ? 0 : 1, $1.purchasedAt ?? .min)
        }
        return newest?.transactionID.flatMap { StoreTransactionID($0) }
    }
}
