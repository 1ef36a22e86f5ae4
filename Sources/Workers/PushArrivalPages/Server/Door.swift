import Operations
import WebPages

/// The check of the host name and the token of each request.
struct Door: Sendable {
    private let host: ServedHost
    private let token: WatchedSecret?
    private let constantTime = ConstantTime()

    init(_ host: ServedHost, token: WatchedSecret?) {
        self.host = host
        self.token = token
    }

    /// Returns the answer that refuses a request; nil if the request is allowed.
    func refusal(of request: PageRequest) -> PageAnswer? {
        // A foreign site could point its own domain name at this address (DNS rebinding) and read the pages
        // through the browser of a person who visits the site. Therefore only our own names are accepted.
        guard let host = request.host, self.host.isMeant(by: host) else {
            return Self.refusal(.misdirected, "This server is not known by that name.")
        }
        guard let token = self.token?.current else { return nil }
        let claim = TokenClaim(request.headers["authorization"] ?? "")
        guard let claim, self.constantTime.areEqual(claim.token, token.revealBytes()) else {
            var refusal = Self.refusal(.unauthorized, "This needs a token.")
            refusal.headers.append(("WWW-Authenticate", "Basic realm=\"push arrivals\", charset=\"UTF-8\""))
            return refusal
        }
        return nil
    }

    private static func refusal(_ status: PageAnswer.Status, _ sentence: String) -> PageAnswer {
        PageAnswer(status, "text/plain; charset=utf-8", body: sentence + "\n")
    }
}
