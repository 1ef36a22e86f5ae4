extension StoreTransaction {
    /// One purchase of an app receipt (attribute 17).
    init(_ attributes: ReceiptAttributes) throws(ASN1Reader.Fault) {
        var attributes = attributes
        while let attribute = try attributes.next() {
            switch attribute.type {
            case 1701: self.quantity = try attribute.integer()
            case 1702: self.productID = try attribute.text()
            case 1703: self.transactionID = try attribute.text()
            case 1704: self.purchasedAt = try attribute.time()
            case 1705: self.originalTransactionID = try attribute.text()
            case 1706: self.originallyPurchasedAt = try attribute.time()
            // Not documented, and so nothing to stumble over.
            case 1707:
                self.productType = (try? attribute.integer()).map { StoreProductType(receiptNumber: $0) }
            case 1708: self.expiresAt = try attribute.time()
            case 1711: self.webOrderLineItemID = String(try attribute.integer())
            case 1712: self.revokedAt = try attribute.time()
            case 1713: self.isTrial = (try? attribute.integer()).map { $0 != 0 }
            case 1719: self.isInIntroductoryOffer = try attribute.integer() != 0
            case 1721: self.offerID = try? attribute.text()
            default: break
            }
        }
    }
}
