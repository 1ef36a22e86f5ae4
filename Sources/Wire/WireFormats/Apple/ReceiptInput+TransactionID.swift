extension ReceiptInput {
    /// The transaction id with which the App Store Server API can be asked, read without verification. Nil if
    /// there is none, as in a receipt without purchases.
    ///
    /// The rule is that of Apple's library: in an app receipt, it is the first transaction id or original
    /// transaction id of a purchase, whichever comes first.
    package var transactionID: String? {
        switch self {
        case .app(let bytes): Self.transactionID(inApp: bytes)
        case .transaction(let bytes): (try? TransactionReceipt(unverified: bytes))?.transaction.transactionID
        case .signed(let text): Self.transactionID(inSigned: text)
        }
    }

    private static func transactionID(inApp bytes: [UInt8]) -> String? {
        guard let content = (try? AppReceipt.container(bytes))?.content else { return nil }
        let bytes = content.span
        // An attribute that cannot be read ends the search; an id found before it still counts.
        return try? ReceiptAttributes.read(bytes.indices, in: bytes) { attributes, bytes in
            while let attribute = try? attributes.next(in: bytes) {
                guard attribute.type == 17 else { continue }
                if let id = try? attribute.attributes(in: bytes, self.firstID) { return id }
            }
            return nil
        }
    }

    private static func firstID(_ purchase: inout ReceiptAttributes, _ bytes: Span<UInt8>) -> String? {
        while let field = try? purchase.next(in: bytes) {
            guard field.type == 1703 || field.type == 1705 else { continue }
            if let id = try? field.text(in: bytes) { return id }
        }
        return nil
    }

    private static func transactionID(inSigned text: [UInt8]) -> String? {
        guard let jws = try? CompactJWS(text), let payload = try? CompactJWS.object(jws.payload, "payload")
        else {
            return nil
        }
        return payload.identifier("transactionId") ?? payload.identifier("originalTransactionId")
    }
}
