import Cryptography

extension ReceiptResult {
    static func json(_ outcome: Outcome, _ answer: ReceiptAnswer?) -> [UInt8] {
        var json = JSONWriter(reserving: 640 + 640 * (answer?.purchases.count ?? 0))
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            guard let answer else { return }
            json.string("verdict", answer.verdict.rawValue)
            json.string("check", answer.check ?? "")
            json.string("bundleId", answer.header.bundleID)
            json.string("requestId", answer.header.requestID)
            json.string("transactionId", answer.header.transactionID)
            json.string("productId", answer.header.productID)
            json.string("environment", answer.environment?.name ?? "")
            if answer.isFlagged { json.bool("flagged", true) }
            json.string("source", answer.source?.rawValue ?? "")
            json.string("form", answer.form?.rawValue ?? "")
            json.string(
                "receiptSha256",
                String(decoding: Hexadecimal.encode(answer.receiptDigest), as: UTF8.self)
            )
            json.objects("transactions", answer.purchases) { $1.write(to: &$0) }
            if answer.leftOut > 0 { json.int32("transactionsLeftOut", Int32(clamping: answer.leftOut)) }
            if let status = answer.httpStatus { json.int32("httpStatus", Int32(clamping: status)) }
            if let status = answer.appleStatus { json.int64("appleStatus", status) }
        }
        return json.text
    }
}

extension ReceiptAnswer.Purchase {
    fileprivate func write(to json: inout JSONWriter) {
        let transaction = self.transaction
        json.string("transactionId", transaction.transactionID ?? "")
        json.string("originalTransactionId", transaction.originalTransactionID ?? "")
        json.string("webOrderLineItemId", transaction.webOrderLineItemID ?? "")
        json.string("bundleId", transaction.bundleID ?? "")
        json.string("productId", transaction.productID ?? "")
        json.string("subscriptionGroupId", transaction.subscriptionGroupID ?? "")
        json.string("productType", transaction.productType?.name ?? "")
        json.string("environment", transaction.environment?.name ?? "")
        json.string("state", self.state.rawValue)
        json.string("ownership", transaction.ownership ?? "")
        json.string("appAccountToken", transaction.appAccountToken ?? "")
        self.writeNumbers(to: &json)
        json.string("offerId", transaction.offerID ?? "")
        json.string("currency", transaction.currency ?? "")
        json.string("storefront", transaction.storefront ?? "")
        if let willRenew = self.renewal?.willRenew { json.bool("willRenew", willRenew) }
    }

    /// Writes numbers and flags. An unknown one is left out; a zero and a `false` are written, because they
    /// are known.
    private func writeNumbers(to json: inout JSONWriter) {
        let transaction = self.transaction
        let numbers = [
            ("quantity", transaction.quantity), ("purchasedAtMs", transaction.purchasedAt),
            ("originallyPurchasedAtMs", transaction.originallyPurchasedAt),
            ("expiresAtMs", transaction.expiresAt), ("revokedAtMs", transaction.revokedAt),
            ("revocationReason", transaction.revocationReason), ("offerType", transaction.offerType),
            ("price", transaction.price), ("gracePeriodExpiresAtMs", self.renewal?.gracePeriodExpiresAt),
        ]
        for (name, number) in numbers {
            if let number { json.int64(name, number) }
        }
        let flags = [
            ("isTrial", transaction.isTrial), ("isInIntroductoryOffer", transaction.isInIntroductoryOffer),
            ("isUpgraded", transaction.isUpgraded),
        ]
        for (name, flag) in flags {
            if let flag { json.bool(name, flag) }
        }
    }
}
