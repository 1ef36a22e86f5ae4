internal import Foundation

/// One purchase that the simulated store knows of. Times are Unix milliseconds.
package struct SimulatedPurchase: Codable, Hashable, Sendable {
    package var transactionID: String
    package var originalTransactionID: String
    package var bundleID: String
    package var productID: String
    /// Made in the sandbox, which production does not know of.
    package var isSandbox: Bool
    /// As Apple spells it; `Auto-Renewable Subscription` where it expires.
    package var type: String
    package var purchasedAt: Int64
    package var expiresAt: Int64?
    package var revokedAt: Int64?
    package var isUpgraded: Bool?
    /// Until when a subscription that could not be charged goes on all the same.
    package var graceEndsAt: Int64?
    /// How many questions about it are answered as if it were not known yet.
    package var lag: Int?

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

/// An app of the simulated store, and what proves to be asked by its owner.
package struct SimulatedApp: Codable, Hashable, Sendable {
    package var bundleID: String
    package var sharedSecret: String?
    package var issuerID: String?
    package var keyID: String?
    package var publicKeyPEM: String?
    /// Whether verifyReceipt speaks of it as it did of receipts of iOS 6.
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

/// The receipt of a purchase as iOS 6 gave it out, which any text editor can write.
package enum SimulatedReceipt {
    /// Base64, as an app sends it to its server. Not signed: for workers that have no certificate to check it with.
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
