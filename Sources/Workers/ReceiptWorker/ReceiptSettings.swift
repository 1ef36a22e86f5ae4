package import Cryptography
package import Operations
package import WireFormats

/// The settings of the handler of receipts.
package struct ReceiptSettings: Sendable {
    /// The ways to find out whether a purchase is valid.
    package enum Route: String, Hashable, Sendable, CaseIterable {
        case verifyReceipt = "verifyreceipt"
        case serverAPI = "app_store_server_api"
        /// No call at all: the signature of the receipt decides.
        case local
    }

    /// The settings of one app.
    package struct App: Sendable {
        /// The app's bundle id, unique among the apps.
        package var bundleID: String
        /// The way in which the app's purchases are verified.
        package var route: Route
        /// The checks that a purchase must pass besides Apple's approval: its environment and its product.
        package var policy: StorePolicy
        /// The shared secret for verifyReceipt; needed for subscriptions only.
        package var sharedSecret: Secret?
        /// Whether verifyReceipt returns only the newest renewal of each subscription.
        package var excludesOldTransactions: Bool
        /// The key for the App Store Server API; nil if the API is not used.
        package var key: Key?
        /// Whether the App Store Server API is also asked for the present state of a subscription.
        package var asksForSubscriptions: Bool
        /// The number of pages of the purchase history that are always read. Up to ten pages are read if the
        /// verdict depends on them, also if this is 0.
        package var historyPages: Int
        /// The calls per second of the whole fleet to production of the App Store Server API. The sandbox
        /// gets a tenth.
        package var callsPerSecond: Int
        /// The files of the app's secrets that are read again when they change.
        package var files: [WatchedFile]

        /// Creates the settings of an app without checking them.
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
        /// The issuer id of App Store Connect, a UUID.
        package var issuerID: String
        /// The id of the key, 10 letters and digits.
        package var keyID: String
        /// The signer that holds the private key.
        package var signer: ES256Signer

        /// Creates a key.
        package init(issuerID: String, keyID: String, signer: ES256Signer) {
            self.issuerID = issuerID
            self.keyID = keyID
            self.signer = signer
        }
    }

    /// A file with a secret that is read again when it changes, with the content that was read at start.
    package struct WatchedFile: Hashable, Sendable {
        /// The kinds of secret in a file.
        package enum Content: Hashable, Sendable {
            case sharedSecret
            case key
            case keyID
        }

        /// The kind of secret in the file.
        package var content: Content
        /// The path of the file.
        package var path: String
        /// The content of the file at start.
        package var text: Secret

        /// Creates the description of a file.
        package init(_ content: Content, path: String, text: Secret) {
            self.content = content
            self.path = path
            self.text = text
        }
    }

    /// The apps whose purchases are verified. Records of other apps become dead letters.
    package var apps: [App]
    /// The trusted certificates.
    package var anchors: LocalVerifier.Anchors
    /// The addresses of verifyReceipt, where they differ from Apple's own.
    package var verifyReceiptHosts: [StoreHost: BaseURL]
    /// The addresses of the App Store Server API, where they differ from Apple's own.
    package var appStoreHosts: [StoreHost: BaseURL]
    /// The tries of a call that fails without a known reason.
    package var limitedAttempts: Int
    /// The number of different receipts for which Apple must call the shared secret wrong before the worker
    /// accepts that it is wrong.
    package var secretDoubts: Int
    /// The tries of a purchase that Apple does not know yet. Each wait is twice as long as the one before.
    package var lagAttempts: Int
    /// The first wait for a purchase that Apple does not know yet.
    package var firstLag: Duration
    /// The greatest number of purchases in a result.
    package var transactionsLimit: Int
    /// The lifetime of a token for the App Store Server API.
    package var tokenLifetime: Duration
    /// How far the beginning of a token's lifetime is put back, because Apple refuses a token from the
    /// future.
    package var tokenBackdating: Duration
    /// The greatest age of a signed transaction if its signature alone decides; nil for any age.
    package var signedDataAge: Duration?

    /// Creates settings without checking them.
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
