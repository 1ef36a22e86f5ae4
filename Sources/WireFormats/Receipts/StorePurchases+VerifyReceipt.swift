// What verifyReceipt returns, in all the shapes that have been seen: that of iOS 6 with one transaction for a receipt,
// that of iOS 7 with a list; objects where there are lists elsewhere; texts for numbers, dates and flags, or not.

extension StorePurchases {
    private static let lists = ["latest_expired_receipt_info", "latest_receipt_info"]

    /// Nil if there is neither a receipt in it that says anything nor, where a subscription has ended, what is known
    /// of that.
    init?(verifyReceipt answer: JSONObject, from host: StoreHost, hasEnded: Bool = false) {
        let receipt = answer.object("receipt")
        let named = hasEnded ? Self.lists.flatMap { answer.objects($0) } : []
        guard receipt != nil || !named.isEmpty else { return nil }
        self.init(
            bundleID: ([receipt].compactMap(\.self) + named).lazy
                .compactMap { $0.word("bundle_id") ?? $0.word("bid") }.first,
            environment: Self.environment(answer, receipt, host)
        )
        if let receipt { self.take(receipt) }
        for name in Self.lists { self.add(listed: name, in: answer) }
        self.takeRenewals(of: answer, receipt ?? named.first)
        // One without a date is over because Apple says so; of others the date counts, since Apple says the same of
        // a cancelled one whose time has not run out.
        if hasEnded { self.callOver(onlyUndated: true) }
        let saysNothing = self.bundleID == nil && self.transactions.isEmpty && self.nameless == 0
        if saysNothing, receipt?.value("in_app") == nil { return nil }
    }

    /// The answers of old do not say where they come from. Where the host and its words disagree, it is the one that
    /// earns nothing: what the sandbox accepts is never a purchase of production.
    private static func environment(_ answer: JSONObject, _ receipt: JSONObject?, _ host: StoreHost)
        -> StoreEnvironment
    {
        let stated = [
            answer.word("environment").map { StoreEnvironment($0) },
            receipt?.word("receipt_type").map { StoreEnvironment(receiptType: $0) }, host.environment,
        ]
        return stated.compactMap(\.self).first { $0 != .production } ?? .production
    }

    /// The newest renewal may be in the other lists only, and what both have is newer there.
    private mutating func take(_ receipt: JSONObject) {
        self.setExpiry(receipt.time("expiration_date_ms", "expiration_date", "expiration_date_pst"))
        self.add(listed: "in_app", in: receipt)
        // A receipt of old is its transaction; one of today has none of its own.
        guard receipt.value("transaction_id") != nil || receipt.value("product_id") != nil else { return }
        self.add([self.transaction(receipt)])
    }

    /// What is no object in a list is one more that nobody can be granted.
    private mutating func add(listed name: String, in object: JSONObject) {
        let objects = object.objects(name)
        self.nameless += object.valueCount(name) - objects.count
        self.add(objects.map { self.transaction($0) })
    }

    private mutating func takeRenewals(of answer: JSONObject, _ receipt: JSONObject?) {
        let environment = self.environment
        for info in answer.objects("pending_renewal_info") {
            let renewal = StoreRenewal(verifyReceipt: info, environment)
            renewal.originalTransactionID.map { self.renewals[$0] = renewal }
        }
        guard self.renewals.isEmpty, answer.value("auto_renew_status") != nil else { return }
        // Of the one subscription that an old answer is about.
        var renewal = StoreRenewal(verifyReceipt: answer, environment)
        renewal.originalTransactionID = receipt?.identifier("original_transaction_id")
        renewal.originalTransactionID.map { self.renewals[$0] = renewal }
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
        self.setExpiry(
            object.time(
                "expires_date_ms",
                "expires_date",
                "expires_date_formatted",
                "expires_date_pst",
                "expires_date_formatted_pst"
            )
        )
        self.setRevocation(
            object.time("cancellation_date_ms", "cancellation_date", "cancellation_date_pst")
        )
        self.revocationReason = object.code("cancellation_reason")
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
    fileprivate init(verifyReceipt object: JSONObject, _ environment: StoreEnvironment?) {
        self.originalTransactionID = object.identifier("original_transaction_id")
        self.productID = object.identifier("product_id")
        self.autoRenewProductID = object.identifier("auto_renew_product_id")
        self.willRenew = object.flag("auto_renew_status")
        self.expirationIntent = object.code("expiration_intent")
        self.isInBillingRetry = object.flag("is_in_billing_retry_period")
        self.gracePeriodExpiresAt = object.moment("grace_period_expires_date")
        self.environment = environment
    }
}

extension JSONObject {
    /// Milliseconds since 1970, by one of the ways in which verifyReceipt writes a time.
    fileprivate func moment(_ name: String) -> Int64? {
        self.time(name + "_ms", name, name + "_pst").milliseconds
    }
}
