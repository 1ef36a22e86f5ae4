// What verifyReceipt returns, in all the shapes that have been seen: that of iOS 6 with one transaction for a receipt,
// that of iOS 7 with a list; objects where there are lists elsewhere; texts for numbers, dates and flags, or not.

extension StorePurchases {
    /// Nil if there is no receipt in it.
    init?(verifyReceipt answer: JSONObject, from host: StoreHost) {
        guard let receipt = answer.object("receipt") else { return nil }
        // The answers of old do not say where they come from.
        let environment = answer.string("environment").map { StoreEnvironment($0) } ?? host.environment
        self.init(bundleID: receipt.string("bundle_id") ?? receipt.string("bid"), environment: environment)
        // The newest renewal may be in the second list only, and what both have is newer there.
        self.add(receipt.objects("in_app").map { self.transaction($0) })
        self.add([self.transaction(receipt)])
        for name in ["latest_expired_receipt_info", "latest_receipt_info"] {
            self.add(answer.objects(name).map { self.transaction($0) })
        }
        for info in answer.objects("pending_renewal_info") {
            let renewal = StoreRenewal(verifyReceipt: info, environment)
            renewal.originalTransactionID.map { self.renewals[$0] = renewal }
        }
        if self.renewals.isEmpty, answer.value("auto_renew_status") != nil {
            // Of the one subscription that an old answer is about.
            var renewal = StoreRenewal(verifyReceipt: answer, environment)
            renewal.originalTransactionID = receipt.identifier("original_transaction_id")
            renewal.originalTransactionID.map { self.renewals[$0] = renewal }
        }
    }

    private func transaction(_ object: JSONObject) -> StoreTransaction {
        var transaction = StoreTransaction(verifyReceipt: object)
        transaction.bundleID = self.bundleID
        transaction.environment = self.environment
        return transaction
    }
}

extension StoreTransaction {
    fileprivate init(verifyReceipt object: JSONObject) {
        self.init()
        self.transactionID = object.identifier("transaction_id")
        self.originalTransactionID = object.identifier("original_transaction_id")
        self.webOrderLineItemID = object.identifier("web_order_line_item_id")
        self.productID = object.identifier("product_id")
        self.subscriptionGroupID = object.identifier("subscription_group_identifier")
        self.quantity = object.number("quantity")
        self.purchasedAt = object.moment("purchase_date")
        self.originallyPurchasedAt = object.moment("original_purchase_date")
        self.expiresAt = object.moment("expires_date")
        self.revokedAt = object.moment("cancellation_date")
        self.revocationReason = object.number("cancellation_reason")
        self.isUpgraded = object.flag("is_upgraded")
        self.isTrial = object.flag("is_trial_period")
        self.isInIntroductoryOffer = object.flag("is_in_intro_offer_period")
        self.ownership = object.string("in_app_ownership_type")
        self.appAccountToken = object.string("app_account_token")
        if let offer = object.identifier("promotional_offer_id") {
            (self.offerType, self.offerID) = (2, offer)
        } else if let offer = object.identifier("offer_code_ref_name") {
            (self.offerType, self.offerID) = (3, offer)
        }
        // Nothing else has a time to expire at in these answers.
        if self.expiresAt != nil { self.productType = .autoRenewableSubscription }
    }
}

extension StoreRenewal {
    fileprivate init(verifyReceipt object: JSONObject, _ environment: StoreEnvironment) {
        self.originalTransactionID = object.identifier("original_transaction_id")
        self.productID = object.identifier("product_id")
        self.autoRenewProductID = object.identifier("auto_renew_product_id")
        self.willRenew = object.flag("auto_renew_status")
        self.expirationIntent = object.number("expiration_intent")
        self.isInBillingRetry = object.flag("is_in_billing_retry_period")
        self.gracePeriodExpiresAt = object.moment("grace_period_expires_date")
        self.environment = environment
    }
}

extension JSONObject {
    /// A time in milliseconds since 1970, by one of the ways in which verifyReceipt writes it: `…_ms`; milliseconds
    /// under the plain name; `2013-01-01 00:00:00 Etc/GMT`.
    fileprivate func moment(_ name: String) -> Int64? {
        self.number(name + "_ms") ?? self.number(name) ?? self.string(name).flatMap { Self.greenwich($0) }
    }

    private static func greenwich(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 3, ["Etc/GMT", "GMT", "UTC"].contains(parts[2]) else { return nil }
        return RFC3339.milliseconds("\(parts[0])T\(parts[1])Z")
    }
}
