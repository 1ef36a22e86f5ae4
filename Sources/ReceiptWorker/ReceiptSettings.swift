package import Cryptography
package import Operations
package import WireFormats

/// What a handler of receipts has to be told.
package struct ReceiptSettings: Sendable {
    /// Who is asked whether a purchase holds.
    package enum Route: String, Hashable, Sendable, CaseIterable {
        case verifyReceipt = "verifyreceipt"
        case serverAPI = "app_store_server_api"
        /// Nobody: a signature has to do.
        case local
    }

    /// One app, and how its purchases are verified.
    package struct App: Sendable {
        package var bundleID: String
        package var route: Route
        package var policy: StorePolicy
        package var sharedSecret: Secret?
        package var excludesOldTransactions: Bool
        /// For the App Store Server API; nil if that is not asked.
        package var key: Key?
        /// Whether the present state of a subscription is asked for too.
        package var asksForSubscriptions: Bool
        /// Pages of the purchase history that are read at most; none with 0.
        package var historyPages: Int
        /// Of the whole fleet to production; the sandbox takes a tenth.
        package var callsPerSecond: Int
        package var files: [WatchedFile]

        package init(
            bundleID: String,
            route: Route,
            policy: StorePolicy = StorePolicy(),
            sharedSecret: Secret? = nil,
            excludesOldTransactions: Bool = false,
            key: Key? = nil,
            asksForSubscriptions: Bool = true,
            historyPages: Int = 0,
            callsPerSecond: Int = 50,
            files: [WatchedFile] = []
        ) {
            self.bundleID = bundleID
            self.route = route
            self.policy = policy
            self.sharedSecret = sharedSecret
            self.excludesOldTransactions = excludesOldTransactions
            self.key = key
            self.asksForSubscriptions = asksForSubscriptions
            self.historyPages = historyPages
            self.callsPerSecond = callsPerSecond
            self.files = files
        }
    }

    /// A key of App Store Connect for in-app purchases.
    package struct Key: Sendable {
        package var issuerID: String
        package var keyID: String
        package var signer: ES256Signer

        package init(issuerID: String, keyID: String, signer: ES256Signer) {
            self.issuerID = issuerID
            self.keyID = keyID
            self.signer = signer
        }
    }

    /// A file with a secret, to be read again when it changes, and what was in it.
    package struct WatchedFile: Hashable, Sendable {
        package enum Content: Hashable, Sendable {
            case sharedSecret
            case key
            case keyID
        }

        package var content: Content
        package var path: String
        package var text: Secret

        package init(_ content: Content, path: String, text: Secret) {
            self.content = content
            self.path = path
            self.text = text
        }
    }

    /// The apps whose purchases are verified. Records of others are rejected.
    package var apps: [App]
    package var anchors: LocalVerifier.Anchors
    /// Where Apple is, if not where it always is.
    package var verifyReceiptHosts: [StoreHost: BaseURL]
    package var appStoreHosts: [StoreHost: BaseURL]
    /// Tries of what nobody knows a reason for.
    package var limitedAttempts: Int
    /// Different receipts for which Apple has to call the shared secret wrong, before it is believed.
    package var secretDoubts: Int
    /// Tries of a purchase that Apple does not know yet, each after twice the wait of the one before.
    package var lagAttempts: Int
    package var firstLag: Duration
    /// Purchases that a result shows at most.
    package var transactionsLimit: Int
    /// How long a token for the App Store Server API is good for, and how far its beginning is put back.
    package var tokenLifetime: Duration
    package var tokenBackdating: Duration
    /// How old a signed transaction may be where its signature alone is to decide; nil for any age.
    package var signedDataAge: Duration?

    package init(
        apps: [App],
        anchors: LocalVerifier.Anchors = LocalVerifier.Anchors(),
        verifyReceiptHosts: [StoreHost: BaseURL] = [:],
        appStoreHosts: [StoreHost: BaseURL] = [:],
        limitedAttempts: Int = 4,
        secretDoubts: Int = 3,
        lagAttempts: Int = 7,
        firstLag: Duration = .seconds(15),
        transactionsLimit: Int = 500,
        tokenLifetime: Duration = .seconds(300),
        tokenBackdating: Duration = ProviderToken.backdating,
        signedDataAge: Duration? = nil
    ) {
        self.apps = apps
        self.anchors = anchors
        self.verifyReceiptHosts = verifyReceiptHosts
        self.appStoreHosts = appStoreHosts
        self.limitedAttempts = limitedAttempts
        self.secretDoubts = secretDoubts
        self.lagAttempts = lagAttempts
        self.firstLag = firstLag
        self.transactionsLimit = transactionsLimit
        self.tokenLifetime = tokenLifetime
        self.tokenBackdating = tokenBackdating
        self.signedDataAge = signedDataAge
    }
}
