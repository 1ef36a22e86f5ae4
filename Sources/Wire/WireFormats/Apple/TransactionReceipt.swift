/// A receipt of one transaction, as iOS 6 and earlier issued it (`SKPaymentTransaction.transactionReceipt`),
/// whether or not its signature was verified.
///
/// The receipt is a property list that contains another one, `purchase-info`, in base64, and a signature over
/// that. The names of its members are those of verifyReceipt with hyphens; not all of them are documented.
package struct TransactionReceipt: Hashable, Sendable {
    /// The environment `Sandbox`; nil for production, whose receipts do not name it. The name is outside the
    /// signature, so anybody can add or remove it. It is only a hint which host to ask.
    package let environmentName: String?
    /// The purchase, without its environment, which cannot be determined here. Its `transactionID` is nil if
    /// the receipt has none.
    package let transaction: StoreTransaction
    /// All members of `purchase-info`.
    package let purchaseInfo: [String: String]

    /// The decoded `purchase-info`; the signature covers it together with the version.
    let signedText: [UInt8]
    /// The decoded signature; nil if the receipt has none.
    let signature: [UInt8]?

    /// The most bytes of a receipt.
    package static let bytesLimit = 64 * 1024

    /// Reads a receipt without verifying it.
    ///
    /// - Parameter bytes: the outer property list.
    /// - Throws: `AppReceiptFault` of the kind `malformed`.
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
        // The value is milliseconds in a string, although its name does not end in `-ms`.
        self.expiresAt = time("expires-date")
        self.isTrial = info["is-trial-period"].map { $0.isExactly("true") }
        self.isInIntroductoryOffer = info["is-in-intro-offer-period"].map { $0.isExactly("true") }
    }
}
