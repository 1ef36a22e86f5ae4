/// What the App Store Server API returns when all is well. The parts that count are signed, and not yet believed.
package enum AppStoreAnswer: Hashable, Sendable {
    case transaction(signed: [UInt8])
    case history(Page)
    case subscriptions([Subscription])

    package struct Page: Hashable, Sendable {
        package var signed: [[UInt8]]
        /// What to ask for the next page with; nil if this was the last.
        package var nextRevision: String?
    }

    package struct Subscription: Hashable, Sendable {
        package var signedTransaction: [UInt8]
        package var signedRenewal: [UInt8]?
        /// Not signed, so that it may make an answer stricter or let a subscription go on for its grace, and no more.
        package var status: Status?
    }

    /// Apple's number for the state of a subscription; 1 is active.
    package enum Status: Int64, Hashable, Sendable {
        case active = 1
        case expired
        case billingRetry
        case grace
        case revoked
    }

    /// Apple sends up to twenty.
    private static let pageLimit = 1_000

    /// Nil if it is no answer to this question.
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
                // The same page again would have no end.
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
