extension StoreTransaction {
    /// Reads one purchase of an app receipt (attribute 17). `bytes` are the bytes that it was found in.
    init(_ attributes: inout ReceiptAttributes, in bytes: Span<UInt8>) throws(ASN1Reader.Fault) {
        while let attribute = try attributes.next(in: bytes) {
            switch attribute.type {
            case 1701: self.quantity = try attribute.integer(in: bytes)
            case 1702: self.productID = try attribute.text(in: bytes)
            case 1703: self.transactionID = try attribute.text(in: bytes)
            case 1704: self.purchasedAt = try attribute.time(in: bytes)
            case 1705: self.originalTransactionID = try attribute.text(in: bytes)
            case 1706: self.originallyPurchasedAt = try attribute.time(in: bytes)
            // Apple does not document this attribute, so a value of another type is ignored.
            case 1707:
                self.productType = (try? attribute.integer(in: bytes)).map {
                    StoreProductType(receiptNumber: $0)
                }
            case 1708: self.expiresAt = try attribute.time(in: bytes)
            case 1711: self.webOrderLineItemID = String(try attribute.integer(in: bytes))
            case 1712: self.revokedAt = try attribute.time(in: bytes)
            case 1713: self.isTrial = (try? attribute.integer(in: bytes)).map { $0 != 0 }
            case 1719: self.isInIntroductoryOffer = try attribute.integer(in: bytes) != 0
            case 1721: self.offerID = try? attribute.text(in: bytes)
            default: break
            }
        }
    }
}
