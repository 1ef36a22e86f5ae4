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
    /// A token for the App Store Server API: good for one app and a few minutes. `now` is in milliseconds since 1970.
    package init(
        appStoreKey keyID: String,
        issuer: String,
        bundleID: String,
        now: Int64,
        lifetime: Duration,
        backdating: Duration = Self.backdating
    ) {
        let second = now / 1_000
        self.init(
            keyID: keyID,
            issuer: issuer,
            issuedAt: second - backdating.components.seconds,
            expiresAt: second + lifetime.components.seconds,
            audience: "appstoreconnect-v1",
            bundleID: bundleID
        )
    }
}
