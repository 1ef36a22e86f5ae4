/// A purchase as the payload of a signed transaction of StoreKit 2. The properties have Apple's names.
package struct SimulatedTransaction: Encodable {
    private var transactionId: String
    private var originalTransactionId: String
    private var bundleId: String
    private var productId: String
    private var type: String
    private var purchaseDate: Int64
    private var originalPurchaseDate: Int64
    private var expiresDate: Int64?
    private var revocationDate: Int64?
    private var revocationReason: Int?
    private var isUpgraded: Bool?
    private var quantity = 1
    private var inAppOwnershipType = "PURCHASED"
    private var environment: String
    private var signedDate: Int64

    init(of purchase: SimulatedPurchase) {
        self.transactionId = purchase.transactionID
        self.originalTransactionId = purchase.originalTransactionID
        self.bundleId = purchase.bundleID
        self.productId = purchase.productID
        self.type = purchase.type
        self.purchaseDate = purchase.purchasedAt
        self.originalPurchaseDate = purchase.purchasedAt
        self.expiresDate = purchase.expiresAt
        self.revocationDate = purchase.revokedAt
        self.revocationReason = purchase.revokedAt == nil ? nil : 0
        self.isUpgraded = purchase.isUpgraded
        self.environment = purchase.isSandbox ? "Sandbox" : "Production"
        self.signedDate = purchase.purchasedAt
    }

    /// The signed transaction (JWS) that an app holds for a purchase, signed with `SimulatedChain`; nil if
    /// OpenSSL cannot sign.
    package static func text(of purchase: SimulatedPurchase) -> String? {
        SimulatedChain.writer?.signed(SimulatedTransaction(of: purchase))
    }
}
