import Testing

@testable import WireFormats

@Suite struct ReceiptJudgementTests {
    static let now: Int64 = 1_700_000_000_000

    static func transaction(
        _ id: String = "1",
        product: String = "pro",
        original: String? = nil,
        expiresAt: Int64? = nil,
        change: (inout StoreTransaction) -> Void = { _ in }
    ) -> StoreTransaction {
        var transaction = StoreTransaction()
        transaction.transactionID = id
        transaction.originalTransactionID = original
        transaction.productID = product
        transaction.expiresAt = expiresAt
        change(&transaction)
        return transaction
    }

    static func purchases(
        _ transactions: [StoreTransaction],
        bundleID: String? = "com.example.app",
        _ environment: StoreEnvironment? = .production
    ) -> StorePurchases {
        var purchases = StorePurchases(bundleID: bundleID, environment: environment)
        purchases.add(transactions)
        return purchases
    }

    static func judge(
        _ purchases: StorePurchases,
        transaction: String? = nil,
        product: String? = nil,
        policy: StorePolicy = StorePolicy(),
        saidToBeExpired: Bool = false
    ) -> String {
        let claim = StoreClaim(
            bundleID: "com.example.app",
            transactionID: transaction,
            productID: product
        )
        var purchases = purchases
        if saidToBeExpired { purchases.callOver(onlyUndated: true) }
        let judgement = ReceiptJudgement(of: purchases, claimed: claim, by: policy, now: Self.now)
        let check = judgement.check.map { " \($0.code)" } ?? ""
        return "\(judgement.verdict.rawValue)\(check)\(judgement.isFlagged ? " flagged" : "")"
    }

    @Test func judgesByTheStateOfWhatIsClaimed() {
        let revoked = Self.transaction("r", expiresAt: Self.now + 1) { $0.revokedAt = 1 }
        let upgraded = Self.transaction("u", expiresAt: Self.now + 1) { $0.isUpgraded = true }
        let over = Self.transaction("e", expiresAt: Self.now)
        let active = Self.transaction("a", expiresAt: Self.now + 1)
        let bought = Self.transaction("b", product: "coins")
        let all = Self.purchases([revoked, upgraded, over, active, bought])
        #expect(Self.judge(all) == "valid")
        #expect(Self.judge(all, transaction: "r") == "refunded transaction.revoked")
        #expect(Self.judge(all, transaction: "u") == "expired transaction.upgraded")
        #expect(Self.judge(all, transaction: "e") == "expired transaction.expired")
        #expect(Self.judge(all, transaction: "a") == "valid")
        #expect(Self.judge(all, transaction: "b") == "valid")
        #expect(Self.judge(Self.purchases([revoked, over])) == "expired transaction.expired")
        #expect(Self.judge(Self.purchases([])) == "valid")
    }

    @Test func holdsTheClaimAgainstTheReceipt() {
        let purchases = Self.purchases([Self.transaction("1"), Self.transaction("2", product: "coins")])
        #expect(Self.judge(purchases, transaction: "9") == "invalid transaction.not_in_receipt")
        #expect(Self.judge(purchases, product: "gold") == "invalid product.not_in_receipt")
        #expect(Self.judge(purchases, transaction: "1", product: "coins") == "invalid product.not_in_receipt")
        #expect(Self.judge(purchases, transaction: "2", product: "coins") == "valid")
        let policy = StorePolicy(products: ["pro"])
        #expect(Self.judge(purchases, product: "coins", policy: policy) == "invalid product.unknown")
        #expect(Self.judge(purchases, policy: policy) == "valid")
        #expect(Self.judge(Self.purchases([]), policy: StorePolicy(products: [])) == "valid")
    }

    @Test func isOursOnlyIfItSaysSo() {
        #expect(Self.judge(Self.purchases([], bundleID: "com.example.other")) == "not_ours bundle.foreign")
        #expect(Self.judge(Self.purchases([], bundleID: "COM.example.app")) == "not_ours bundle.foreign")
        // A receipt of an unknown app is not called a foreign one.
        #expect(Self.judge(Self.purchases([], bundleID: nil)) == "unavailable bundle.nameless")
    }

    @Test(
        arguments: [
            (.accept, "valid"), (.flag, "valid flagged"),
            (.reject, "invalid environment.not_production"),
        ] as [(StorePolicy.OutsideProduction, String)]
    )
    func keepsTheAppsPolicy(policy: StorePolicy.OutsideProduction, expected: String) {
        let policy = StorePolicy(outsideProduction: policy)
        for environment in [StoreEnvironment.sandbox, .xcode, .other("New")] {
            #expect(Self.judge(Self.purchases([], environment), policy: policy) == expected)
        }
        #expect(Self.judge(Self.purchases([]), policy: policy) == "valid")
    }

    /// 21006 is said of cancelled subscriptions too whose time has not run out.
    @Test func comparesTheTimeOfWhatIsSaidToBeExpired() {
        let undated = Self.purchases([Self.transaction()])
        #expect(Self.judge(undated, saidToBeExpired: true) == "expired transaction.expired")
        let running = Self.purchases([Self.transaction(expiresAt: Self.now + 1)])
        #expect(Self.judge(running, saidToBeExpired: true) == "valid")
        let over = Self.purchases([Self.transaction(expiresAt: Self.now - 1)])
        #expect(Self.judge(over, saidToBeExpired: true) == "expired transaction.expired")
    }

    /// Only the last period of a subscription has its grace.
    @Test func letsTheLastPeriodGoOnInItsGrace() throws {
        let first = Self.transaction("1", original: "1", expiresAt: Self.now - 20)
        let last = Self.transaction("2", original: "1", expiresAt: Self.now - 10)
        var purchases = Self.purchases([first, last])
        var renewal = StoreRenewal(try #require(JSONObject(Array(#"{"isInBillingRetryPeriod":true}"#.utf8))))
        purchases.renewals["1"] = renewal
        #expect(Self.judge(purchases, transaction: "2") == "expired transaction.billing_retry")
        renewal.gracePeriodExpiresAt = Self.now + 1
        purchases.renewals["1"] = renewal
        #expect(Self.judge(purchases, transaction: "2") == "valid")
        #expect(Self.judge(Self.purchases([first]), transaction: "1") == "expired transaction.expired")
        renewal.gracePeriodExpiresAt = Self.now
        purchases.renewals["1"] = renewal
        #expect(Self.judge(purchases, transaction: "2") == "expired transaction.billing_retry")
    }

    /// A period that was taken back or replaced ends nothing, and hides no grace.
    @Test(arguments: ["revoked", "undated", "upgraded"])
    func findsTheLastPeriodThatCounts(how: String) {
        let last = Self.transaction("1", original: "1", expiresAt: Self.now - 10)
        let gone = Self.transaction("2", original: "1", expiresAt: Self.now + 10) {
            switch how {
            case "revoked": $0.revokedAt = 1
            case "undated": $0.isRevokedUndated = true
            default: $0.isUpgraded = true
            }
        }
        var purchases = Self.purchases([last, gone])
        var renewal = StoreRenewal()
        renewal.gracePeriodExpiresAt = Self.now + 1
        purchases.renewals["1"] = renewal
        #expect(Self.judge(purchases, transaction: "1") == "valid")
    }

    /// A customer who claims last month's renewal has this month's too.
    @Test func aRenewedSubscriptionIsValidByAnyOfItsPeriods() {
        let first = Self.transaction("1", original: "1", expiresAt: Self.now - 20)
        let other = Self.transaction("9", original: "9", expiresAt: Self.now + 9)
        let last = Self.transaction("2", product: "plus", original: "1", expiresAt: Self.now + 10)
        let all = Self.purchases([first, other, last])
        #expect(Self.judge(all, transaction: "1") == "valid")
        #expect(
            Self.judge(Self.purchases([first, other]), transaction: "1") == "expired transaction.expired"
        )
        // Not where another product is what goes on, or one that the app does not sell.
        #expect(Self.judge(all, transaction: "1", product: "pro") == "expired transaction.expired")
        #expect(
            Self.judge(all, transaction: "1", policy: StorePolicy(products: ["pro"]))
                == "expired transaction.expired"
        )
        let revoked = Self.transaction("1", original: "1", expiresAt: Self.now - 20) { $0.revokedAt = 1 }
        #expect(
            Self.judge(Self.purchases([revoked, last]), transaction: "1") == "refunded transaction.revoked"
        )
        let left = Self.transaction("1", original: "1", expiresAt: Self.now - 20) { $0.isUpgraded = true }
        #expect(Self.judge(Self.purchases([left, last]), transaction: "1") == "expired transaction.upgraded")
    }

    /// A purchase by volume ends as a whole.
    @Test func endsWithTheWholeReceipt() {
        var purchases = Self.purchases([Self.transaction("1"), Self.transaction("r") { $0.revokedAt = 1 }])
        purchases.expiresAt = Self.now + 1
        #expect(Self.judge(purchases) == "valid")
        purchases.expiresAt = Self.now
        #expect(Self.judge(purchases) == "expired receipt.expired")
        #expect(Self.judge(purchases, transaction: "r") == "expired receipt.expired")
        #expect(Self.judge(purchases, transaction: "9") == "invalid transaction.not_in_receipt")
        var nothing = Self.purchases([])
        nothing.expiresAt = Self.now
        #expect(Self.judge(nothing) == "expired receipt.expired")
    }

    @Test func takesAnUnknownEnvironmentForOneThatEarnsNothing() {
        let unknown = Self.purchases([], nil)
        #expect(Self.judge(unknown) == "valid flagged")
        #expect(
            Self.judge(unknown, policy: StorePolicy(outsideProduction: .reject))
                == "invalid environment.not_production"
        )
    }

    @Test func anEndThatCannotBeReadMayHavePassed() {
        let odd = Self.transaction { $0.hasUnreadableExpiry = true }
        #expect(Self.judge(Self.purchases([odd])) == "expired transaction.expired")
        #expect(Self.purchases([odd]).flaw == .unreadableExpiry)
        #expect(Self.purchases([Self.transaction("")]).flaw == .withoutIDs)
        #expect(Self.purchases([Self.transaction(""), Self.transaction()]).flaw == nil)
    }

    /// One list of a receipt states the end in a form that cannot be read, and another one states none.
    @Test func anEndThatCannotBeReadIsNotForgotten() {
        let purchases = Self.purchases([
            Self.transaction { $0.hasUnreadableExpiry = true }, Self.transaction(),
        ])
        #expect(purchases.flaw == .unreadableExpiry)
        #expect(Self.judge(purchases) == "expired transaction.expired")
        let dated = Self.purchases([
            Self.transaction { $0.hasUnreadableExpiry = true },
            Self.transaction(expiresAt: Self.now + 10),
        ])
        #expect(dated.flaw == nil)
    }

    /// The state of a subscription as Apple's answer says it, unsigned as it is.
    @Test(
        arguments: [
            (.active, 10, "valid"), (.expired, 10, "expired transaction.expired"),
            (.billingRetry, 10, "expired transaction.billing_retry"), (.grace, -10, "valid"),
            (.revoked, 10, "refunded transaction.revoked"), (nil, 10, "valid"),
            (.active, -10, "expired transaction.expired"),
        ] as [(AppStoreAnswer.Status?, Int64, String)]
    )
    func takesAStateForAReasonToBeStricter(status: AppStoreAnswer.Status?, left: Int64, expected: String) {
        var purchases = Self.purchases([])
        purchases.add(
            Self.transaction("1", original: "1", expiresAt: Self.now + left),
            saidToBe: status
        )
        #expect(Self.judge(purchases) == expected)
    }
}
