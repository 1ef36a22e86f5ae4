import Operations
import WebPages

/// Decides who may look.
struct Door: Sendable {
    private let host: ServedHost
    private let token: Secret?
    private let constantTime = ConstantTime()

    init(_ host: ServedHost, token: Secret?) {
        self.host = host
        self.token = token
    }

    /// Nil for whoever may come in.
    func refusal(of request: PageRequest) -> PageAnswer? {
        // A site could point a name of its own at this address, and have a browser read along for it.
        guard let host = request.host, self.host.isMeant(by: host) else {
            return Self.refusal(.misdirected, "This server is not known by that name.")
        }
        guard let token else { return nil }
        let claim = TokenClaim(request.headers["authorization"] ?? "")
        guard let claim, self.constantTime.areEqual(claim.token, token.revealBytes()) else {
            var refusal = Self.refusal(.unauthorized, "This needs a token.")
            refusal.headers.append(("WWW-Authenticate", "Basic realm=\"push arrivals\", charset=\"UTF-8\""))
            return refusal
        }
        return nil
    }

    private static func refusal(_ status: PageAnswer.Status, _ sentence: String) -> PageAnswer {
        PageAnswer(status, "text/plain; charset=utf-8", sentence + "\n")
    }
}
