/// One purchase, in one shape whatever Apple wrote it in: a signed transaction, an app receipt, a receipt of iOS 6.
///
/// Ids are strings, since some are beyond what a JSON number holds; times are milliseconds since 1970. Nil is what
/// the source does not say.
package struct StoreTransaction: Hashable, Sendable {
    package var transactionID: String?
    package var originalTransactionID: String?
    package var webOrderLineItemID: String?
    package var appTransactionID: String?
    package var bundleID: String?
    package var productID: String?
    package var subscriptionGroupID: String?
    package var productType: StoreProductType?
    package var quantity: Int64?
    package var environment: StoreEnvironment?

    package var purchasedAt: Int64?
    package var originallyPurchasedAt: Int64?
    package var expiresAt: Int64?
    /// When Apple took it back: refunded, or no longer shared by the family.
    package var revokedAt: Int64?
    /// It was taken back, and nobody can tell when.
    package var isRevokedUndated = false
    /// It says when it ends, and that cannot be read: nothing follows from it but that it is not known.
    package var hasUnreadableExpiry = false
    /// Apple calls the subscription over, whatever the time that it was bought for.
    package var isCalledOver = false
    /// Apple's number: 1 for an issue in the app, 0 for anything else.
    package var revocationReason: Int64?
    /// When Apple said all this, which may be long ago.
    package var signedAt: Int64?

    /// Whether a better subscription of its group took its place.
    package var isUpgraded: Bool?
    package var isTrial: Bool?
    package var isInIntroductoryOffer: Bool?
    /// Apple's number: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    package var offerType: Int64?
    package var offerID: String?
    /// `PURCHASED`, `FAMILY_SHARED`, or a word that is new.
    package var ownership: String?
    /// `PURCHASE`, `RENEWAL`, or a word that is new.
    package var transactionReason: String?
    /// The UUID that the app gave the purchase.
    package var appAccountToken: String?
    package var storefront: String?
    package var storefrontID: String?
    package var currency: String?
    /// In thousandths of the currency.
    package var price: Int64?

    package init() {}

    /// A fact without which a purchase cannot be judged.
    package enum Lack: Hashable, Sendable {
        case product
        /// The end of a subscription, which would go on for ever.
        case expiry
    }

    /// The fact that is missing; nil if the purchase can be judged.
    package var lack: Lack? {
        if self.productID?.isEmpty ?? true { return .product }
        let isSubscription = self.productType == .autoRenewableSubscription
        return isSubscription && self.expiresAt == nil && !self.hasUnreadableExpiry ? .expiry : nil
    }

    package var isRevoked: Bool { self.revokedAt != nil || self.isRevokedUndated }

    mutating func setExpiry(_ time: StatedTime) {
        self.expiresAt = time.milliseconds
        self.hasUnreadableExpiry = time == .unreadable
    }

    mutating func setRevocation(_ time: StatedTime) {
        self.revokedAt = time.milliseconds
        self.isRevokedUndated = time == .unreadable
    }
}
