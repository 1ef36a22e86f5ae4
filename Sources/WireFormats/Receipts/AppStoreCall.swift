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
            "/inApps/v2/history/\(id.text)" + (revision.map { "?revision=\(Self.encoded($0))" } ?? "")
        }
    }

    private static func encoded(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(Array(text.utf8)), as: UTF8.self)
    }
}

/// An id of a transaction, which goes into a path: decimal digits and nothing else.
package struct StoreTransactionID: Hashable, Sendable {
    package let text: String

    /// Apple's have 15 to 19 digits.
    package static let digitsLimit = 32

    package init?(_ text: String) {
        guard (1...Self.digitsLimit).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        self.text = text
    }
}

extension StoreHost {
    package var appStoreURL: String {
        switch self {
        case .production: "https://api.storekit.apple.com"
        case .sandbox: "https://api.storekit-sandbox.apple.com"
        }
    }
}

extension ProviderToken {
    /// Apple's clock may be behind ours, and refuses a token from the future.
    private static let backdating: Int64 = 30
    /// As in Apple's own library, which makes a new token for each request. More than an hour is refused.
    private static let lifetime: Int64 = 300

    /// A token for the App Store Server API: good for one app and a few minutes. `now` is in milliseconds since 1970.
    package init(appStoreKey keyID: String, issuer: String, bundleID: String, now: Int64) {
        let second = now / 1_000
        self.init(
            keyID: keyID,
            issuer: issuer,
            issuedAt: second - Self.backdating,
            expiresAt: second + Self.lifetime,
            audience: "appstoreconnect-v1",
            bundleID: bundleID
        )
    }
}
