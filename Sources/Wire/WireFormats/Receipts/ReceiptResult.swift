import Cryptography
import SwiftProtobuf
import WireMessages

/// The value of a record of `receipt.result`.
package enum ReceiptResult {
    /// Returns the encoded result.
    ///
    /// - Parameter answer: nil if nothing is known beyond the outcome.
    package static func encode(_ outcome: Outcome, _ answer: ReceiptAnswer?, as format: ValueFormat)
        -> [UInt8]
    {
        switch format {
        case .json: self.json(outcome, answer)
        case .protobuf: self.message(outcome, answer).encoded()
        }
    }

    static func message(_ outcome: Outcome, _ answer: ReceiptAnswer?) -> Flotilla_Receipt_V1_ReceiptResult {
        var message = Flotilla_Receipt_V1_ReceiptResult()
        message.outcome = Flotilla_Outcome_V1_Outcome(outcome)
        guard let answer else { return message }
        message.verdict = answer.verdict.rawValue
        message.check = answer.check ?? ""
        message.bundleID = answer.header.bundleID
        message.requestID = answer.header.requestID
        message.transactionID = answer.header.transactionID
        message.productID = answer.header.productID
        message.environment = answer.environment?.name ?? ""
        message.flagged = answer.isFlagged
        message.source = answer.source?.rawValue ?? ""
        message.form = answer.form?.rawValue ?? ""
        message.receiptSha256 = String(decoding: Hexadecimal.encode(answer.receiptDigest), as: UTF8.self)
        message.transactions = answer.purchases.map { Flotilla_Receipt_V1_StoreTransaction($0) }
        message.transactionsLeftOut = Int32(clamping: answer.leftOut)
        if let status = answer.httpStatus { message.httpStatus = Int32(clamping: status) }
        if let status = answer.appleStatus { message.appleStatus = status }
        return message
    }
}

extension Flotilla_Receipt_V1_StoreTransaction {
    fileprivate init(_ purchase: ReceiptAnswer.Purchase) {
        self.init()
        let transaction = purchase.transaction
        self.transactionID = transaction.transactionID ?? ""
        self.originalTransactionID = transaction.originalTransactionID ?? ""
        self.webOrderLineItemID = transaction.webOrderLineItemID ?? ""
        self.bundleID = transaction.bundleID ?? ""
        self.productID = transaction.productID ?? ""
        self.subscriptionGroupID = transaction.subscriptionGroupID ?? ""
        self.productType = transaction.productType?.name ?? ""
        self.environment = transaction.environment?.name ?? ""
        self.state = purchase.state.rawValue
        self.ownership = transaction.ownership ?? ""
        self.appAccountToken = transaction.appAccountToken ?? ""
        self.offerID = transaction.offerID ?? ""
        self.currency = transaction.currency ?? ""
        self.storefront = transaction.storefront ?? ""
        if let quantity = transaction.quantity { self.quantity = quantity }
        if let price = transaction.price { self.price = price }
        if let offerType = transaction.offerType { self.offerType = offerType }
        if let reason = transaction.revocationReason { self.revocationReason = reason }
        self.takeTimes(of: transaction)
        self.takeFlags(of: transaction)
        if let willRenew = purchase.renewal?.willRenew { self.willRenew = willRenew }
        if let grace = purchase.renewal?.gracePeriodExpiresAt { self.gracePeriodExpiresAtMs = grace }
    }

    private mutating func takeTimes(of transaction: StoreTransaction) {
        if let time = transaction.purchasedAt { self.purchasedAtMs = time }
        if let time = transaction.originallyPurchasedAt { self.originallyPurchasedAtMs = time }
        if let time = transaction.expiresAt { self.expiresAtMs = time }
        if let time = transaction.revokedAt { self.revokedAtMs = time }
    }

    private mutating func takeFlags(of transaction: StoreTransaction) {
        if let isTrial = transaction.isTrial { self.isTrial = isTrial }
        if let isOffer = transaction.isInIntroductoryOffer { self.isInIntroductoryOffer = isOffer }
        if let isUpgraded = transaction.isUpgraded { self.isUpgraded = isUpgraded }
    }
}
