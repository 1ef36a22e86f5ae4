/// The content of a successful answer of the App Store Server API. The signed parts decide, and have not been
/// verified yet.
package enum AppStoreAnswer: Hashable, Sendable {
    /// One transaction, as a JWS.
    case transaction(signed: [UInt8])
    /// One page of a transaction history.
    case history(Page)
    /// The last transaction of each subscription.
    case subscriptions([Subscription])

    /// One page of a transaction history.
    package struct Page: Hashable, Sendable {
        /// The transactions of the page, each as a JWS.
        package var signed: [[UInt8]]
        /// The revision to ask for the next page with; nil if this was the last page.
        package var nextRevision: String?
    }

    /// The last transaction of one subscription, and its state.
    package struct Subscription: Hashable, Sendable {
        /// The transaction, as a JWS.
        package var signedTransaction: [UInt8]
        /// The renewal, as a JWS; nil if Apple sent none.
        package var signedRenewal: [UInt8]?
        /// The state of the subscription. It is not signed, so it may only make a verdict stricter, or let a
        /// subscription go on for its grace period.
        package var status: Status?
    }

    /// The state of a subscription; the raw value is Apple's number, and 1 is active.
    package enum Status: Int64, Hashable, Sendable {
        case active = 1
        case expired
        case billingRetry
        case grace
        case revoked
    }

    /// The most entries of a page that are accepted; Apple sends up to twenty.
    private static let pageLimit = 1_000

    /// Reads an answer. Nil if the object is no answer to this call.
    init?(to call: AppStoreCall, _ object: JSONObject) {
        switch call {
        case .transaction:
            guard let text = object.string("signedTransactionInfo") else { return nil }
            self = .transaction(signed: Array(text.utf8))
        case .history(_, let revision):
            guard let texts = object.strings("signedTransactions"), texts.count <= Self.pageLimit else {
                return nil
            }
            var page = Page(signed: texts.map { Array($0.utf8) }, nextRevision: nil)
            if object.flag("hasMore") == true {
                // A page that names its own revision as the next one would have no end.
                guard let next = object.string("revision"), next != revision, next.utf8.count <= 1_024 else {
                    return nil
                }
                page.nextRevision = next
            }
            self = .history(page)
        case .subscriptions:
            guard let data = object.value("data"), data.first == UInt8(ascii: "[") else { return nil }
            let last = object.objects("data").flatMap { $0.objects("lastTransactions") }
            guard last.count <= Self.pageLimit else { return nil }
            var subscriptions: [Subscription] = []
            for item in last {
                guard let text = item.string("signedTransactionInfo") else { return nil }
                subscriptions.append(
                    Subscription(
                        signedTransaction: Array(text.utf8),
                        signedRenewal: item.string("signedRenewalInfo").map { Array($0.utf8) },
                        status: item.code("status").flatMap { Status(rawValue: $0) }
                    )
                )
            }
            self = .subscriptions(subscriptions)
        }
    }
}
