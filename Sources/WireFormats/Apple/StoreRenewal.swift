/// Whether and how a subscription goes on: the payload of a `signedRenewalInfo` (Apple's
/// JWSRenewalInfoDecodedPayload). Times are milliseconds since 1970.
package struct StoreRenewal: Hashable, Sendable {
    package var originalTransactionID: String?
    package var productID: String?
    package var autoRenewProductID: String?
    package var willRenew: Bool?
    /// Apple's number: 1 cancelled, 2 billing error, 3 refused a price increase, 4 product gone, 5 unknown.
    package var expirationIntent: Int64?
    package var isInBillingRetry: Bool?
    package var gracePeriodExpiresAt: Int64?
    package var renewsAt: Int64?
    package var environment: StoreEnvironment?
    package var signedAt: Int64?
    /// Apple says so, without a time.
    package var isInGrace = false

    package init() {}

    init(_ payload: JSONObject) {
        self.originalTransactionID = payload.identifier("originalTransactionId")
        self.productID = payload.string("productId")
        self.autoRenewProductID = payload.string("autoRenewProductId")
        self.willRenew = payload.flag("autoRenewStatus")
        self.expirationIntent = payload.code("expirationIntent")
        self.isInBillingRetry = payload.flag("isInBillingRetryPeriod")
        self.gracePeriodExpiresAt = payload.number("gracePeriodExpiresDate")
        self.renewsAt = payload.number("renewalDate")
        self.environment = payload.word("environment").map { StoreEnvironment($0) }
        self.signedAt = payload.number("signedDate")
    }
}
