/// The renewal of a subscription: the payload of a `signedRenewalInfo` (Apple's
/// JWSRenewalInfoDecodedPayload), or the same facts from verifyReceipt. Times are milliseconds since 1970. A
/// fact is nil if the source does not state it.
package struct StoreRenewal: Hashable, Sendable {
    /// The subscription's original transaction id.
    package var originalTransactionID: String?
    /// The product of the current period.
    package var productID: String?
    /// The product of the next period.
    package var autoRenewProductID: String?
    /// Whether the subscription is set to renew.
    package var willRenew: Bool?
    /// Apple's number for the reason of the expiry: 1 cancelled, 2 billing error, 3 refused a price increase,
    /// 4 product gone, 5 unknown.
    package var expirationIntent: Int64?
    /// Whether Apple still tries to charge the customer.
    package var isInBillingRetry: Bool?
    /// When the grace period ends.
    package var gracePeriodExpiresAt: Int64?
    /// When the next period begins.
    package var renewsAt: Int64?
    /// The environment of the subscription.
    package var environment: StoreEnvironment?
    /// When Apple signed these facts.
    package var signedAt: Int64?
    /// Whether Apple states a grace period without its end.
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
