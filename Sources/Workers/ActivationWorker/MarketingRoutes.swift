import Operations
import UpstreamHTTP
import WireFormats
import WorkerKit

/// The accounts of the two routes to Tencent's living interfaces, with their present tokens.
struct MarketingRoutes: Sendable {
    /// The index of each route's endpoint. GDT's scheme 2 is the first endpoint.
    enum Endpoint {
        static let marketing = 1
        static let callback = 2
    }

    /// One account on these routes.
    struct Account: Sendable {
        /// Writes the account's reports; nil if they go to GDT's scheme 2.
        var report: UserActionTemplate?
        /// The account's token; nil if it has none.
        var token: AccessToken?
        var takesCallbacks: Bool
        /// The names of the lanes, computed once.
        var lane: String
        var callbackLane: String
    }

    private let accounts: [GDTAccount: Account]
    private let rules: CallbackURL.Rules
    private let reach: HTTPRequest.Reach
    /// The scheme, the host and the port of the Marketing API, which alone gets tokens.
    private let origin: String
    /// The token of each source. Accounts that share a file share its token.
    let tokens: [MarketingSettings.TokenSource: AccessToken]

    init(_ settings: MarketingSettings?) {
        self.rules = settings?.callbacks ?? CallbackURL.Rules()
        self.reach = settings?.callbacksReachEverywhere == true ? .everywhere : .publicInternet
        self.origin = Self.origin(of: settings?.baseURL)
        var tokens: [MarketingSettings.TokenSource: AccessToken] = [:]
        for case let source? in (settings?.apps ?? [:]).values.map(\.token) where tokens[source] == nil {
            tokens[source] = AccessToken(source)
        }
        self.tokens = tokens
        var accounts: [GDTAccount: Account] = [:]
        for (account, app) in settings?.apps ?? [:] {
            let token = app.token.flatMap { tokens[$0] }
            accounts[account] = Account(
                report: settings.flatMap {
                    UserActionTemplate(of: account, app: app, token: token, settings: $0)
                },
                token: token,
                takesCallbacks: app.takesCallbacks,
                lane: "\(account)/\(ActivationRoute.marketing.rawValue)",
                callbackLane: "\(account)/\(ActivationRoute.callback.rawValue)"
            )
        }
        self.accounts = accounts
    }

    /// The endpoints after that of GDT's scheme 2; none if no account uses these routes.
    var endpoints: [UpstreamEndpoint] {
        self.accounts.isEmpty
            ? []
            : [
                UpstreamEndpoint(
                    ActivationRoute.marketing.rawValue,
                    callsPerSlot: UserAction.countLimit,
                    callsLimit: self.callsLimit
                ),
                UpstreamEndpoint(ActivationRoute.callback.rawValue),
            ]
    }

    /// The calls that fill all requests of every account, and as many that fill the next ones.
    private var callsLimit: Int {
        self.accounts.values.reduce(0) { $0 + ($1.report?.requestsLimit ?? 0) } * UserAction.countLimit * 2
    }

    /// The way of one conversion.
    enum Way {
        case report(UserActionTemplate, Account)
        case callback(CallbackTemplate, Account)
        /// The conversion's callback is not one to call.
        case refused(Reason)
    }

    /// Returns the way of a conversion; nil if it is reported to GDT's scheme 2.
    func way(of activation: Activation) -> Way? {
        guard let account = self.accounts[activation.account] else { return nil }
        guard account.takesCallbacks, let callback = activation.callback else {
            return account.report.map { .report($0, account) }
        }
        do throws(CallbackURL.Refusal) {
            let url = try CallbackURL(callback, self.rules)
            guard url.asksForToken else {
                let template = CallbackTemplate(account: activation.account, url: url, reach: self.reach)
                return .callback(template, account)
            }
            // A token goes nowhere but to the API that issued it, whatever a callback asks for.
            guard url.origin == self.origin, let token = account.token else {
                return .refused(Self.noToken)
            }
            let template = CallbackTemplate(
                account: activation.account,
                url: url,
                reach: self.reach,
                token: token
            )
            return .callback(template, account)
        } catch {
            return .refused(error.reason)
        }
    }

    private static let noToken = Reason(
        "callback.no_token",
        "The callback asks for an access token, and there is none for its host."
    )

    private static func origin(of url: BaseURL?) -> String {
        let text = url?.text.lowercased() ?? UserActionTarget.standardURL
        guard let host = text.firstRange(of: "://")?.upperBound else { return text }
        return String(text[..<(text[host...].firstIndex(of: "/") ?? text.endIndex)])
    }
}

extension AccessToken {
    /// Makes the token of a source, as it is at the start.
    convenience init(_ source: MarketingSettings.TokenSource) {
        switch source {
        case .fixed(let token, _): self.init(token, isRenewed: false)
        case .pair(let file, _):
            // The file was checked with the settings. If it cannot be read any more, there is no token until
            // the renewal reads it.
            let pair = (try? file.read()).flatMap { try? TokenPair(json: $0.revealBytes()) }
            self.init(Secret(pair?.accessToken ?? ""), isRenewed: true)
        }
    }
}
