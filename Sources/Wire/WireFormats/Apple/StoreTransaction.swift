/// One purchase in one shape, from any of Apple's formats: a signed transaction, an app receipt, or a receipt
/// of iOS 6.
///
/// Ids are strings, because some are larger than a JSON number can hold. Times are milliseconds since 1970. A
/// fact is nil if the source does not state it.
package struct StoreTransaction: Hashable, Sendable {
    /// The transaction's id, unique within its environment.
    package var transactionID: String?
    /// The id of the original transaction, which all periods of a subscription and all restores of a purchase
    /// share.
    package var originalTransactionID: String?
    /// The id of a subscription's billing period, which is the same on all devices; the transaction id can
    /// differ after a restore.
    package var webOrderLineItemID: String?
    /// The id of the app transaction, from signed transactions only.
    package var appTransactionID: String?
    /// The app's bundle id.
    package var bundleID: String?
    /// The product's id.
    package var productID: String?
    /// The group that the subscription belongs to.
    package var subscriptionGroupID: String?
    /// The type of the product.
    package var productType: StoreProductType?
    /// How many of the product were bought.
    package var quantity: Int64?
    /// The environment of the purchase.
    package var environment: StoreEnvironment?

    /// When the purchase, or this period of the subscription, was made.
    package var purchasedAt: Int64?
    /// When the original purchase was made.
    package var originallyPurchasedAt: Int64?
    /// When this period of the subscription ends.
    package var expiresAt: Int64?
    /// When Apple revoked the purchase: a refund, or the end of family sharing.
    package var revokedAt: Int64?
    /// Whether the purchase was revoked at a time that cannot be read or is not stated.
    package var isRevokedUndated = false
    /// Whether the source states an end that cannot be read, so that only the end's existence is known.
    package var hasUnreadableExpiry = false
    /// Whether Apple calls the subscription over, whatever end the period has.
    package var isCalledOver = false
    /// Apple's number for the revocation's reason: 1 for an issue in the app, 0 for anything else.
    package var revocationReason: Int64?
    /// When Apple signed these facts, which may be long ago.
    package var signedAt: Int64?

    /// Whether a better subscription of the same group took the purchase's place.
    package var isUpgraded: Bool?
    /// Whether the period is a free trial.
    package var isTrial: Bool?
    /// Whether the period has an introductory price.
    package var isInIntroductoryOffer: Bool?
    /// Apple's number for the offer: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    package var offerType: Int64?
    /// The id of the offer.
    package var offerID: String?
    /// The customer's relation to the purchase: `PURCHASED`, `FAMILY_SHARED`, or a word that is new.
    package var ownership: String?
    /// The reason of the transaction: `PURCHASE`, `RENEWAL`, or a word that is new.
    package var transactionReason: String?
    /// The UUID that the app gave the purchase.
    package var appAccountToken: String?
    /// The App Store's storefront, as Apple writes it.
    package var storefront: String?
    /// The id of the storefront.
    package var storefrontID: String?
    /// The currency's code.
    package var currency: String?
    /// The price in thousandths of the currency.
    package var price: Int64?

    package init() {}

    /// A fact without which a purchase cannot be judged.
    package enum Lack: Hashable, Sendable {
        /// The product is missing.
        case product
        /// The end of a subscription is missing; without it the subscription would never end.
        case expiry
    }

    /// The missing fact; nil if the purchase can be judged.
    package var lack: Lack? {
        if self.productID?.isEmpty ?? true { return .product }
        let isSubscription = self.productType == .autoRenewableSubscription
        return isSubscription && self.expiresAt == nil && !self.hasUnreadableExpiry ? .expiry : nil
    }

    /// Whether Apple revoked the purchase, at a known time or not.
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
