package import Operations
package import WireFormats

/// The settings of the two routes to Tencent's living interfaces: `user_actions/add` and callbacks.
package struct MarketingSettings: Sendable {
    /// An app that uses one of the routes, or both.
    package struct App: Sendable {
        /// The data source that takes the app's reports; nil if its reports go to GDT's scheme 2.
        package var actionSetID: UInt64?
        /// The token of the app's requests; nil if it has none.
        package var token: TokenSource?
        /// Whether a record with a `callback` is reported there.
        package var takesCallbacks: Bool

        package init(actionSetID: UInt64? = nil, token: TokenSource? = nil, takesCallbacks: Bool = false) {
            self.actionSetID = actionSetID
            self.token = token
            self.takesCallbacks = takesCallbacks
        }
    }

    /// The origin of a token.
    package enum TokenSource: Hashable, Sendable {
        /// A token that Tencent issued for good, or that other programs renew. The path is that of its file,
        /// which is read again when it changes; nil if the setting itself contained the token.
        case fixed(Secret, path: String?)
        /// A file with a pair of tokens. This worker renews them, or others do and this one only reads.
        case pair(PrivateFile, isRenewedHere: Bool)
    }

    /// The address of the interface, with its version.
    package var baseURL: BaseURL
    /// The address at which tokens are renewed.
    package var tokenURL: BaseURL
    /// The most requests of one account in flight.
    package var requestsLimit: Int
    /// How long before its end an access token is renewed.
    package var renewsBefore: Duration
    /// The rules for callbacks.
    package var callbacks: CallbackURL.Rules
    /// Whether callbacks may go to addresses that are not of the public internet. Only a lab needs that.
    package var callbacksReachEverywhere: Bool
    /// The apps that use these routes.
    package var apps: [GDTAccount: App]

    /// Creates settings without checking them.
    package init(
        baseURL: BaseURL,
        tokenURL: BaseURL,
        requestsLimit: Int = 4,
        renewsBefore: Duration = .seconds(7_200),
        callbacks: CallbackURL.Rules = CallbackURL.Rules(),
        callbacksReachEverywhere: Bool = false,
        apps: [GDTAccount: App] = [:]
    ) {
        self.baseURL = baseURL
        self.tokenURL = tokenURL
        self.requestsLimit = requestsLimit
        self.renewsBefore = renewsBefore
        self.callbacks = callbacks
        self.callbacksReachEverywhere = callbacksReachEverywhere
        self.apps = apps
    }
}
