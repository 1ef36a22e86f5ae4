/// A question to the App Store Server API: all of them are a GET with a token.
package enum AppStoreCall: Hashable, Sendable {
    /// Get Transaction Info.
    case transaction(StoreTransactionID)
    /// Get Transaction History; nil asks for the first page, and what a page returns as its revision for the next.
    case history(StoreTransactionID, revision: String?)
    /// Get All Subscription Statuses.
    case subscriptions(StoreTransactionID)

    package var id: StoreTransactionID {
        switch self {
        case .transaction(let id), .history(let id, _), .subscriptions(let id): id
        }
    }

    /// Path and query, to be put behind a host.
    package var path: String {
        switch self {
        case .transaction(let id): "/inApps/v1/transactions/\(id.text)"
        case .subscriptions(let id): "/inApps/v1/subscriptions/\(id.text)"
        case .history(let id, let revision):
            // The newest first: what decides is there. The other pages want the same question.
            "/inApps/v2/history/\(id.text)?sort=DESCENDING"
                + (revision.map { "&revision=\(Self.encoded($0))" } ?? "")
        }
    }

    private static func encoded(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(Array(text.utf8)), as: UTF8.self)
    }
}
