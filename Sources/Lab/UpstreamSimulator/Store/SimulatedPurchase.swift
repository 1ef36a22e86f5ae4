internal import Foundation

/// One purchase that the simulated store knows. Times are in Unix milliseconds.
package struct SimulatedPurchase: Codable, Hashable, Sendable {
    /// The id of this transaction: for a subscription, of this period.
    package var transactionID: String
    /// The id of the first transaction, which all periods of a subscription share.
    package var originalTransactionID: String
    /// The bundle id of the app in which the purchase was made.
    package var bundleID: String
    /// The id of the product that was bought.
    package var productID: String
    /// Whether the purchase was made in the sandbox. Production does not know such a purchase.
    package var isSandbox: Bool
    /// The type of the product in Apple's spelling. The initializer sets `Auto-Renewable Subscription` if the
    /// purchase expires, else `Non-Consumable`.
    package var type: String
    /// The time of the purchase.
    package var purchasedAt: Int64
    /// The end of a subscription's period; nil for a purchase that does not expire.
    package var expiresAt: Int64?
    /// The time at which Apple refunded or revoked the purchase; nil if it did not.
    package var revokedAt: Int64?
    /// Whether the subscription was replaced by an upgrade.
    package var isUpgraded: Bool?
    /// The end of the grace period of a subscription whose renewal could not be charged.
    package var graceEndsAt: Int64?
    /// The number of requests to the App Store Server API about this purchase that are answered as if it were
    /// unknown. Each such request lowers it; verifyReceipt ignores it.
    package var lag: Int?

    /// Creates a purchase; `originalTransactionID` is the transaction's own id if it is left out.
    package init(
        transactionID: String,
        originalTransactionID: String? = nil,
        bundleID: String,
        productID: String,
        isSandbox: Bool = false,
        purchasedAt: Int64,
        expiresAt: Int64? = nil,
        revokedAt: Int64? = nil
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID ?? transactionID
        self.bundleID = bundleID
        self.productID = productID
        self.isSandbox = isSandbox
        self.type = expiresAt == nil ? "Non-Consumable" : "Auto-Renewable Subscription"
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case originalTransactionID = "original_transaction_id"
        case bundleID = "bundle_id"
        case productID = "product_id"
        case isSandbox = "is_sandbox"
        case type
        case purchasedAt = "purchased_at"
        case expiresAt = "expires_at"
        case revokedAt = "revoked_at"
        case isUpgraded = "is_upgraded"
        case graceEndsAt = "grace_ends_at"
        case lag
    }
}

/// An app of the simulated store, with the credentials that authorize requests about it.
package struct SimulatedApp: Codable, Hashable, Sendable {
    /// The bundle id, by which receipts and tokens name the app.
    package var bundleID: String
    /// The shared secret that verifyReceipt requires as `password`; nil if none is required.
    package var sharedSecret: String?
    /// The issuer (`iss`) of the app's tokens for the App Store Server API.
    package var issuerID: String?
    /// The key id (`kid`) of the app's tokens.
    package var keyID: String?
    /// The public key of P-256 in PEM.
    package var publicKeyPEM: String?
    /// Whether verifyReceipt answers in its old form, as it did for receipts of iOS 6; nil means false.
    package var answersInOldStyle: Bool?

    package init(
        bundleID: String,
        sharedSecret: String? = nil,
        issuerID: String? = nil,
        keyID: String? = nil,
        publicKeyPEM: String? = nil
    ) {
        self.bundleID = bundleID
        self.sharedSecret = sharedSecret
        self.issuerID = issuerID
        self.keyID = keyID
        self.publicKeyPEM = publicKeyPEM
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundle_id"
        case sharedSecret = "shared_secret"
        case issuerID = "issuer_id"
        case keyID = "key_id"
        case publicKeyPEM = "public_key_pem"
        case answersInOldStyle = "old_style"
    }
}

/// A receipt in the form of iOS 6: a plain-text property list.
package enum SimulatedReceipt {
    /// The receipt in base64, as an app sends it to its server. It is not signed, so only a worker without a
    /// certificate to check it with accepts it.
    package static func text(of purchase: SimulatedPurchase) -> String {
        var info = [
            "bid": purchase.bundleID, "product-id": purchase.productID,
            "transaction-id": purchase.transactionID,
            "original-transaction-id": purchase.originalTransactionID, "quantity": "1",
            "purchase-date-ms": String(purchase.purchasedAt),
        ]
        if let expiresAt = purchase.expiresAt { info["expires-date"] = String(expiresAt) }
        var receipt = ["purchase-info": Self.base64(Self.list(info))]
        if purchase.isSandbox { receipt["environment"] = "Sandbox" }
        return Self.base64(Self.list(receipt))
    }

    private static func list(_ members: [String: String]) -> String {
        let lines = members.sorted { $0.key < $1.key }.map { "\t\"\($0.key)\" = \"\($0.value)\";\n" }
        return "{\n\(lines.joined())}"
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
