extension StoreTransaction {
    /// Reads the payload of a signed transaction (Apple's JWSTransactionDecodedPayload). Other members, and
    /// values of unexpected types, are ignored.
    init(_ payload: JSONObject) {
        self.transactionID = payload.identifier("transactionId")
        self.originalTransactionID = payload.identifier("originalTransactionId")
        self.webOrderLineItemID = payload.identifier("webOrderLineItemId")
        self.appTransactionID = payload.identifier("appTransactionId")
        self.bundleID = payload.string("bundleId")
        self.productID = payload.string("productId")
        self.subscriptionGroupID = payload.identifier("subscriptionGroupIdentifier")
        self.productType = payload.string("type").map { StoreProductType($0) }
        self.quantity = payload.number("quantity")
        self.environment = payload.word("environment").map { StoreEnvironment($0) }
        self.purchasedAt = payload.number("purchaseDate")
        self.originallyPurchasedAt = payload.number("originalPurchaseDate")
        self.setExpiry(payload.time("expiresDate"))
        self.setRevocation(payload.time("revocationDate"))
        self.revocationReason = payload.code("revocationReason")
        self.signedAt = payload.number("signedDate")
        self.isUpgraded = payload.flag("isUpgraded")
        self.offerType = payload.number("offerType")
        self.offerID = payload.string("offerIdentifier")
        self.ownership = payload.string("inAppOwnershipType")
        self.transactionReason = payload.string("transactionReason")
        self.appAccountToken = payload.string("appAccountToken")
        self.storefront = payload.string("storefront")
        self.storefrontID = payload.identifier("storefrontId")
        self.currency = payload.string("currency")
        self.price = payload.number("price")
    }
}
