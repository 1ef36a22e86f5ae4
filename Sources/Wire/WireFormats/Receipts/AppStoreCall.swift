/// A request to the App Store Server API. All requests are a GET with a token.
package enum AppStoreCall: Hashable, Sendable {
    /// Apple's endpoint Get Transaction Info.
    case transaction(StoreTransactionID)
    /// Apple's endpoint Get Transaction History. The revision nil asks for the first page; each page names
    /// the revision of the next.
    case history(StoreTransactionID, revision: String?)
    /// Apple's endpoint Get All Subscription Statuses.
    case subscriptions(StoreTransactionID)

    /// The transaction that is asked about.
    package var id: StoreTransactionID {
        switch self {
        case .transaction(let id), .history(let id, _), .subscriptions(let id): id
        }
    }

    /// The path and the query, to be appended to a host.
    package var path: String {
        switch self {
        case .transaction(let id): "/inApps/v1/transactions/\(id.text)"
        case .subscriptions(let id): "/inApps/v1/subscriptions/\(id.text)"
        case .history(let id, let revision):
            // The newest come first, because they decide the verdict. Requests for further pages need the
            // same query.
            "/inApps/v2/history/\(id.text)?sort=DESCENDING"
                + (revision.map { "&revision=\(Self.encoded($0))" } ?? "")
        }
    }

    private static func encoded(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(Array(text.utf8)), as: UTF8.self)
    }
}
