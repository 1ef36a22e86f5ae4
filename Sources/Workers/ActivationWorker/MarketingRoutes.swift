import Operations
import UpstreamHTTP
import WireFormats
import WorkerKit

/// The accounts of the two routes to Tencent's living interfaces, with their present tokens.
struct MarketingRoutes: Sendable {
    /// The index of the Marketing API's endpoint. GDT's scheme 2 is the endpoint before it, and the hosts of
    /// callbacks are those after it.
    static let endpoint = 1

    /// One account on these routes.
    struct Account: Sendable {
        /// Writes the account's reports; nil if they go to GDT's scheme 2.
        var report: UserActionTemplate?
        /// The account's token; nil if it has none.
        var token: AccessToken?
        var takesCallbacks: Bool
        /// The lane of the account's reports.
        var lane: String
    }

    private let accounts: [GDTAccount: Account]
    private let rules: CallbackURL.Rules
    /// The hosts that callbacks may go to, in the order of their endpoints; empty if no account allows callbacks.
    private let callbackHosts: [String]
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
                lane: "\(account)/\(ActivationRoute.marketing.rawValue)"
            )
        }
        self.accounts = accounts
        let takesCallbacks = accounts.values.contains(where: \.takesCallbacks)
        self.callbackHosts = takesCallbacks ? self.rules.hosts.sorted() : []
    }

    /// The endpoints after that of GDT's scheme 2; none if no account uses these routes. Each host of callbacks
    /// is an endpoint of its own, so that one that is down stops no callback to another.
    var endpoints: [UpstreamEndpoint] {
        guard !self.accounts.isEmpty else { return [] }
        let reports = UpstreamEndpoint(
            ActivationRoute.marketing.rawValue,
            callsPerSlot: UserAction.countLimit,
            callsLimit: self.callsLimit
        )
        return [reports] + self.callbackHosts.map { UpstreamEndpoint(Self.name(ofCallbacksTo: $0)) }
    }

    private static func name(ofCallbacksTo host: String) -> String {
        "\(ActivationRoute.callback.rawValue)/\(host)"
    }

    /// The calls that fill all requests of every account, and as many that fill the next ones.
    private var callsLimit: Int {
        self.accounts.values.reduce(0) { $0 + ($1.report?.requestsLimit ?? 0) } * UserAction.countLimit * 2
    }

    /// The way of one conversion.
    enum Way {
        case report(UserActionTemplate, Account)
        case callback(CallbackTemplate, Place)
        /// The conversion's callback is not one to call.
        case refused(Reason)
    }

    /// Where the callbacks of one account to one host go in the engine.
    struct Place: Sendable {
        /// The lane, which no other account and no other host holds. Callbacks that ask for the account's token
        /// have one of their own, so that a missing token holds no other callback.
        var lane: String
        /// The index of the host's endpoint.
        var endpoint: Int
    }

    /// Returns the way of a conversion; nil if it is reported to GDT's scheme 2.
    func way(of activation: Activation) -> Way? {
        guard let account = self.accounts[activation.account] else { return nil }
        let usual = account.report.map { Way.report($0, account) }
        guard account.takesCallbacks, let callback = activation.callback else { return usual }
        do throws(CallbackURL.Refusal) {
            let url = try CallbackURL(callback, self.rules)
            var template = CallbackTemplate(account: activation.account, url: url, reach: self.reach)
            if url.asksForToken {
                // A token goes nowhere but to the API that issued it, whatever a callback asks for. A conversion
                // whose callback cannot have one takes the way that it would take without a callback.
                guard url.origin == self.origin, let token = account.token else { return usual }
                template.token = token
            }
            return .callback(template, try self.place(of: url, for: activation.account))
        } catch {
            return .refused(error.reason)
        }
    }

    private func place(of url: CallbackURL, for account: GDTAccount) throws(CallbackURL.Refusal) -> Place {
        guard let index = self.callbackHosts.firstIndex(of: url.host) else { throw .host }
        let name = Self.name(ofCallbacksTo: url.host)
        return Place(
            lane: "\(account)/\(name)" + (url.asksForToken ? "/token" : ""),
            endpoint: Self.endpoint + 1 + index
        )
    }

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
