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

    var step: Step
    var host: StoreHost
    /// Hosts that have been asked before in this attempt.
    var visited: Set<StoreHost> = []
    /// Calls of this attempt, the one at hand included.
    var calls = 1
    /// What the App Store Server API has said so far.
    var gathered: StorePurchases?
    var pages = 0
    /// When the token that the call shows was made: milliseconds since 1970.
    var signedAt: Int64 = 0
    /// The same was refused for a token that had waited for too long.
    var isRenewed = false

    /// Whether it is known without Apple that the receipt is one of the app's.
    var isOurs: Bool { self.local?.bundleID == self.claim.bundleID }

    /// Which try this is at most, by the number of all calls made for the record: each try takes about as many.
    func tries(_ number: Int) -> Int { max(1, (number + self.calls - 1) / self.calls) }

    /// The same of the same host, with a token of now.
    func renewed() -> ReceiptJob {
        var job = self
        job.isRenewed = true
        job.calls += 1
        return job
    }

    /// The same of the other host.
    func elsewhere() -> ReceiptJob {
        var job = self
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
