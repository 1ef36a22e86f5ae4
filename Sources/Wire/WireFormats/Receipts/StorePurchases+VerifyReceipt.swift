// The purchases in verifyReceipt's answers, in all shapes that have been seen. An answer of iOS 6 has one
// transaction for a receipt, one of iOS 7 a list; some have objects in place of lists; numbers, dates and
// flags may be texts.

extension StorePurchases {
    private static let lists = ["latest_expired_receipt_info", "latest_receipt_info"]

    /// Reads the purchases of an answer. Nil if the answer has no receipt that says anything, and, if a
    /// subscription has ended, nothing about that subscription either.
    ///
    /// - Parameter hasEnded: whether Apple says that the subscription has ended (status 21006).
    init?(verifyReceipt answer: JSONObject, from host: StoreHost, hasEnded: Bool = false) {
        let receipt = answer.object("receipt")
        let named = hasEnded ? Self.lists.flatMap { answer.objects($0) } : []
        guard receipt != nil || !named.isEmpty else { return nil }
        self.init(
            bundleID: ([receipt].compactMap(\.self) + named).lazy
                .compactMap { $0.word("bundle_id") ?? $0.word("bid") }.first,
            environment: Self.environment(answer, receipt, host: host)
        )
        if let receipt { self.take(receipt) }
        for name in Self.lists { self.add(listed: name, in: answer) }
        self.takeRenewals(of: answer, receipt ?? named.first)
        self.markRenewed()
        // A transaction without a date is over because Apple says so. For others their date decides, because
        // Apple says the same of a cancelled subscription whose time has not run out.
        if hasEnded { self.callOver(onlyUndated: true) }
        let saysNothing = self.bundleID == nil && self.transactions.isEmpty && self.nameless == 0
        if saysNothing, receipt?.value("in_app") == nil { return nil }
    }

    /// Returns the environment of an answer. Old answers do not name it. If the host and the answer disagree,
    /// the environment that is not production is taken, because a purchase that the sandbox accepts is never
    /// one of production.
    private static func environment(_ answer: JSONObject, _ receipt: JSONObject?, host: StoreHost)
        -> StoreEnvironment
    {
        let stated = [
            answer.word("environment").map { StoreEnvironment($0) },
            receipt?.word("receipt_type").map { StoreEnvironment(receiptType: $0) }, host.environment,
        ]
        return stated.compactMap(\.self).first { $0 != .production } ?? .production
    }

    /// Takes the receipt's own transactions first. The newest renewal may be in the other lists only, and a
    /// transaction in both is newer there, so those lists are added afterwards.
    private mutating func take(_ receipt: JSONObject) {
        self.setExpiry(receipt.time("expiration_date_ms", "expiration_date", "expiration_date_pst"))
        self.add(listed: "in_app", in: receipt)
        // An old receipt is itself a transaction; a receipt of today has no transaction fields of its own.
        guard receipt.value("transaction_id") != nil || receipt.value("product_id") != nil else { return }
        self.add([self.transaction(receipt)])
    }

    /// Adds the transactions of a list. An entry that is no object counts as a transaction without an id,
    /// which nobody can be granted.
    private mutating func add(listed name: String, in object: JSONObject) {
        let objects = object.objects(name)
        self.nameless += object.valueCount(name) - objects.count
        self.add(objects.map { self.transaction($0) })
    }

    private mutating func takeRenewals(of answer: JSONObject, _ receipt: JSONObject?) {
        let environment = self.environment
        for info in answer.objects("pending_renewal_info") {
            let renewal = StoreRenewal(verifyReceipt: info, environment)
            if let id = renewal.originalTransactionID { self.renewals[id] = renewal }
        }
        guard self.renewals.isEmpty, answer.value("auto_renew_status") != nil else { return }
        // An old answer is about one subscription, and its fields hold that subscription's renewal.
        var renewal = StoreRenewal(verifyReceipt: answer, environment)
        renewal.originalTransactionID = receipt?.identifier("original_transaction_id")
        if let id = renewal.originalTransactionID { self.renewals[id] = renewal }
    }

    /// Takes a purchase that is renewed for a subscription, also if nothing says when it ends.
    private mutating func markRenewed() {
        for index in self.transactions.indices {
            guard let id = self.transactions[index].originalTransactionID, self.renewals[id] != nil else {
                continue
            }
            self.transactions[index].productType = .autoRenewableSubscription
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
        // Only subscriptions have a time of expiry, an id of their period or a group.
        let ids = [self.webOrderLineItemID, self.subscriptionGroupID]
        if self.expiresAt != nil || ids.contains(where: { $0 != nil }) {
            self.productType = .autoRenewableSubscription
        }
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
    /// Returns milliseconds since 1970, from any of verifyReceipt's spellings of a time.
    fileprivate func moment(_ name: String) -> Int64? {
        self.time(name + "_ms", name, name + "_pst").milliseconds
    }
}
