/// A receipt of one transaction, as iOS 6 and earlier gave it out (`SKPaymentTransaction.transactionReceipt`), whether
/// or not it is to be believed.
///
/// A property list that holds another one, `purchase-info`, in base64, and a signature of that. Its members bear the
/// names that verifyReceipt uses, with hyphens; not all of them are documented.
package struct TransactionReceipt: Hashable, Sendable {
    /// `Sandbox`, or nil: production receipts do not say. It stands outside the signature, so anybody can take it out or
    /// put it in: a hint of whom to ask, and nothing more.
    package let environmentName: String?
    /// What was bought, in an environment that nothing here can tell. `transactionID` is nil in a receipt without one.
    package let transaction: StoreTransaction
    /// All members of `purchase-info`.
    package let purchaseInfo: [String: String]

    /// What is signed, apart from the version.
    let signedText: [UInt8]
    /// Nil if there is none.
    let signature: [UInt8]?

    package static let bytesLimit = 64 * 1024

    /// Reads a receipt without believing it. `bytes` are the outer property list.
    package init(unverified bytes: [UInt8]) throws(AppReceiptFault) {
        guard bytes.count <= Self.bytesLimit else {
            throw .malformed("receipt.too_large", "The receipt has more than \(Self.bytesLimit) bytes.")
        }
        guard let receipt = OldPropertyList(bytes) else {
            throw .malformed("receipt.property_list", "The receipt is not a property list of the old style.")
        }
        guard let signedText = receipt["purchase-info"].flatMap({ Base64.decode($0.utf8) }),
            let purchaseInfo = OldPropertyList(signedText)
        else {
            throw .malformed("receipt.purchase_info", "The receipt's purchase-info cannot be read.")
        }
        if let signature = receipt["signature"] {
            guard let decoded = Base64.decode(signature.utf8) else {
                throw .malformed("receipt.signature_encoding", "The receipt's signature is not base64.")
            }
            self.signature = decoded
        } else {
            self.signature = nil
        }
        self.environmentName = receipt["environment"]
        self.signedText = signedText
        self.purchaseInfo = purchaseInfo.members
        self.transaction = StoreTransaction(purchaseInfo)
    }
}

extension StoreTransaction {
    fileprivate init(_ info: OldPropertyList) {
        func time(_ name: String) -> Int64? { info[name]?.utf8.decimal(as: Int64.self) }

        self.transactionID = info["transaction-id"]
        self.originalTransactionID = info["original-transaction-id"]
        self.webOrderLineItemID = info["web-order-line-item-id"]
        self.bundleID = info["bid"]
        self.productID = info["product-id"]
        self.quantity = info["quantity"]?.utf8.decimal(as: Int64.self)
        self.purchasedAt = time("purchase-date-ms")
        self.originallyPurchasedAt = time("original-purchase-date-ms")
        // Milliseconds in a string, in spite of its name.
        self.expiresAt = time("expires-date")
        self.isTrial = info["is-trial-period"].map { $0 == "true" }
        self.isInIntroductoryOffer = info["is-in-intro-offer-period"].map { $0 == "true" }
    }
}
