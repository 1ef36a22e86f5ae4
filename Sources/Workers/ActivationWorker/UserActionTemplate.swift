import ServiceKit
import UpstreamHTTP
import WireFormats

/// Writes the requests that report conversions of one account to the Marketing API, up to 50 in one.
struct UserActionTemplate: BatchTemplate {
    let key: String
    let requestsLimit: Int
    private let target: UserActionTarget
    private let token: AccessToken

    var elementsLimit: Int { UserAction.countLimit }
    var bytesLimit: Int { UserAction.bytesLimit }
    var isReady: Bool { !self.token.bytes.isEmpty }

    /// Nil if the app has no data source or no token.
    init?(
        of account: GDTAccount,
        app: MarketingSettings.App,
        token: AccessToken?,
        settings: MarketingSettings
    ) {
        guard let actionSetID = app.actionSetID, let token else { return nil }
        self.key = "report/\(account)"
        self.requestsLimit = settings.requestsLimit
        self.token = token
        self.target = UserActionTarget(
            baseURL: settings.baseURL,
            accountID: account.advertiserID,
            actionSetID: actionSetID
        )
    }

    func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest {
        HTTPRequest(
            method: .post,
            url: self.target.url(token: self.token.bytes, at: now / 1_000, nonce: nonce),
            headers: [HTTPHeader("Content-Type", "application/json")],
            body: self.target.body(of: elements)
        )
    }

    func scope(of response: HTTPResponse) -> BatchScope { .init(of: response) }
}

/// Writes the requests to one callback of one account.
struct CallbackTemplate: BatchTemplate {
    let account: GDTAccount
    let url: CallbackURL
    let reach: HTTPRequest.Reach
    /// The token that the callback asks for; nil if it asks for none.
    var token: AccessToken?

    var key: String { "callback/\(self.account)/\(self.url.text)" }
    var requestsLimit: Int { 1 }
    var elementsLimit: Int { UserAction.countLimit }
    var bytesLimit: Int { UserAction.bytesLimit }
    var isReady: Bool { self.token.map { !$0.bytes.isEmpty } ?? true }

    func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        if let token {
            headers += [
                HTTPHeader("access-token", String(decoding: token.bytes, as: UTF8.self)),
                HTTPHeader("timestamp", String(now / 1_000)), HTTPHeader("nonce", nonce),
            ]
        }
        var request = HTTPRequest(
            method: .post,
            url: self.url.text,
            headers: headers,
            body: CallbackURL.body(of: elements)
        )
        request.reach = self.reach
        return request
    }

    func scope(of response: HTTPResponse) -> BatchScope { .init(of: response) }
}

extension BatchScope {
    /// Returns whom a response of the Marketing API concerns.
    fileprivate init(of response: HTTPResponse) {
        guard let reply = MarketingReply(answering: response) else {
            self =
                switch response.status {
                // These statuses are about the content of the request. 403 may be: a filter on the way to Tencent can
                // object to a text of one action. Split, it blames that action or, one by one, everybody.
                case 400, 403, 413, 422: .somePart
                // These are about its sender, whose other requests would get the same now.
                case 401, 429: .key
                default: .failed
                }
            return
        }
        self =
            reply.concernsTheAccount
            ? .key
            : reply.mayBlameOneAction ? .somePart : reply.meaning == .accepted ? .request : .failed
    }
}

extension MarketingReply {
    /// Reads Tencent's reply in a response. It is in the body, whatever the HTTP status is. With the status of a failure, only
    /// a code that Tencent documents as one makes a body its reply: a proxy may answer in JSON too.
    init?(answering response: HTTPResponse) {
        self.init(response.body)
        guard !(200...299).contains(response.status) else { return }
        switch self.meaning {
        case .accepted, .undocumented: return nil
        case .busy, .expiredToken, .limited, .misconfigured, .badParameter: break
        }
    }
}
