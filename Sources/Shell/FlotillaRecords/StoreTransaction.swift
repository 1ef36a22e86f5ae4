package import WireMessages

/// One purchase of a receipt, in one shape whatever form Apple gave it. A field that the source does
/// not have is empty or nil.
public struct StoreTransaction: Hashable, Sendable {
    package var message: Flotilla_Receipt_V1_StoreTransaction

    package init(_ message: Flotilla_Receipt_V1_StoreTransaction) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Receipt_V1_StoreTransaction() }

    /// Apple's id of the purchase.
    public var transactionID: String {
        get { self.message.transactionID }
        set { self.message.transactionID = newValue }
    }

    /// Apple's id of the first purchase of a subscription.
    public var originalTransactionID: String {
        get { self.message.originalTransactionID }
        set { self.message.originalTransactionID = newValue }
    }

    /// Apple's id of the subscription's period.
    public var webOrderLineItemID: String {
        get { self.message.webOrderLineItemID }
        set { self.message.webOrderLineItemID = newValue }
    }

    /// The app.
    public var bundleID: String {
        get { self.message.bundleID }
        set { self.message.bundleID = newValue }
    }

    /// The product.
    public var productID: String {
        get { self.message.productID }
        set { self.message.productID = newValue }
    }

    /// The subscription's group.
    public var subscriptionGroupID: String {
        get { self.message.subscriptionGroupID }
        set { self.message.subscriptionGroupID = newValue }
    }

    /// `Auto-Renewable Subscription`, `Non-Consumable`, `Consumable` or `Non-Renewing Subscription`. A
    /// reader must expect more.
    public var productType: String {
        get { self.message.productType }
        set { self.message.productType = newValue }
    }

    /// The environment of the purchase.
    public var environment: String {
        get { self.message.environment }
        set { self.message.environment = newValue }
    }

    /// `active`, `grace`, `billing_retry`, `expired`, `upgraded`, `revoked` or `unknown`. A reader must
    /// expect more.
    public var state: String {
        get { self.message.state }
        set { self.message.state = newValue }
    }

    /// `PURCHASED` or `FAMILY_SHARED`. A reader must expect more.
    public var ownership: String {
        get { self.message.ownership }
        set { self.message.ownership = newValue }
    }

    /// The token by which the app named the account.
    public var appAccountToken: String {
        get { self.message.appAccountToken }
        set { self.message.appAccountToken = newValue }
    }

    /// The number of items.
    public var quantity: Int64? {
        get { self.message.hasQuantity ? self.message.quantity : nil }
        set {
            if let newValue { self.message.quantity = newValue } else { self.message.clearQuantity() }
        }
    }

    /// The time of the purchase, in milliseconds since 1970.
    public var purchasedAtMS: Int64? {
        get { self.message.hasPurchasedAtMs ? self.message.purchasedAtMs : nil }
        set {
            if let newValue {
                self.message.purchasedAtMs = newValue
            } else {
                self.message.clearPurchasedAtMs()
            }
        }
    }

    /// The time of the first purchase, in milliseconds since 1970.
    public var originallyPurchasedAtMS: Int64? {
        get { self.message.hasOriginallyPurchasedAtMs ? self.message.originallyPurchasedAtMs : nil }
        set {
            if let newValue {
                self.message.originallyPurchasedAtMs = newValue
            } else {
                self.message.clearOriginallyPurchasedAtMs()
            }
        }
    }

    /// The end of the period, in milliseconds since 1970.
    public var expiresAtMS: Int64? {
        get { self.message.hasExpiresAtMs ? self.message.expiresAtMs : nil }
        set {
            if let newValue { self.message.expiresAtMs = newValue } else { self.message.clearExpiresAtMs() }
        }
    }

    /// The time of the refund, in milliseconds since 1970.
    public var revokedAtMS: Int64? {
        get { self.message.hasRevokedAtMs ? self.message.revokedAtMs : nil }
        set {
            if let newValue { self.message.revokedAtMs = newValue } else { self.message.clearRevokedAtMs() }
        }
    }

    /// Apple's number: 1 for an issue in the app, 0 for anything else.
    public var revocationReason: Int64? {
        get { self.message.hasRevocationReason ? self.message.revocationReason : nil }
        set {
            if let newValue {
                self.message.revocationReason = newValue
            } else {
                self.message.clearRevocationReason()
            }
        }
    }

    /// Whether the period is a free trial.
    public var isTrial: Bool? {
        get { self.message.hasIsTrial ? self.message.isTrial : nil }
        set {
            if let newValue { self.message.isTrial = newValue } else { self.message.clearIsTrial() }
        }
    }

    /// Whether the period has an introductory price.
    public var isInIntroductoryOffer: Bool? {
        get { self.message.hasIsInIntroductoryOffer ? self.message.isInIntroductoryOffer : nil }
        set {
            if let newValue {
                self.message.isInIntroductoryOffer = newValue
            } else {
                self.message.clearIsInIntroductoryOffer()
            }
        }
    }

    /// Whether a better subscription has taken its place.
    public var isUpgraded: Bool? {
        get { self.message.hasIsUpgraded ? self.message.isUpgraded : nil }
        set {
            if let newValue { self.message.isUpgraded = newValue } else { self.message.clearIsUpgraded() }
        }
    }

    /// Apple's number: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    public var offerType: Int64? {
        get { self.message.hasOfferType ? self.message.offerType : nil }
        set {
            if let newValue { self.message.offerType = newValue } else { self.message.clearOfferType() }
        }
    }

    /// Apple's id of the offer.
    public var offerID: String {
        get { self.message.offerID }
        set { self.message.offerID = newValue }
    }

    /// The price in thousandths of the currency.
    public var price: Int64? {
        get { self.message.hasPrice ? self.message.price : nil }
        set {
            if let newValue { self.message.price = newValue } else { self.message.clearPrice() }
        }
    }

    /// The currency, as ISO 4217 names it.
    public var currency: String {
        get { self.message.currency }
        set { self.message.currency = newValue }
    }

    /// The country of the store.
    public var storefront: String {
        get { self.message.storefront }
        set { self.message.storefront = newValue }
    }

    /// Whether the subscription renews itself.
    public var willRenew: Bool? {
        get { self.message.hasWillRenew ? self.message.willRenew : nil }
        set {
            if let newValue { self.message.willRenew = newValue } else { self.message.clearWillRenew() }
        }
    }

    /// The end of the grace period, in milliseconds since 1970.
    public var gracePeriodExpiresAtMS: Int64? {
        get { self.message.hasGracePeriodExpiresAtMs ? self.message.gracePeriodExpiresAtMs : nil }
        set {
            if let newValue {
                self.message.gracePeriodExpiresAtMs = newValue
            } else {
                self.message.clearGracePeriodExpiresAtMs()
            }
        }
    }
}
