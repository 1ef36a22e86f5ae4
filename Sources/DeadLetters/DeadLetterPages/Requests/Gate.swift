import Cryptography
import Operations
import WebPages
import WireFormats

/// Decides which requests may see pages, and which may change something. Does no I/O; its only state is a
/// random key.
///
/// A request has to name a host that is served. With a proxy token set, it must carry the token and name its
/// user. A user who is no operator may only look. A form must also come from this site and bring back the token of its
/// session (protection against cross-site request forgery).
struct Gate: Sendable {
    private let settings: PagesSettings
    private let constantTime = ConstantTime()
    /// Signs the form tokens with a key of this process, so that forms from before a restart are not
    /// accepted.
    private let authentication = MessageAuthentication(key: ConstantTime.randomBytes(32))

    /// The name of the session cookie.
    static let cookieName = "dead-letters-session"
    /// The form field that holds the form token.
    static let tokenField = "csrf"
    /// The length of a session id in hexadecimal digits.
    private static let sessionDigits = 32
    /// The length of a user's name at most, in bytes.
    private static let longestName = 128

    init(_ settings: PagesSettings) { self.settings = settings }

    /// A user whose request was accepted.
    struct Visitor: Sendable {
        /// The name of the user, as it stands in the ledger and the audit trail.
        var name: String
        /// The session id of the browser.
        var session: String
        /// The form token, which every form of this visitor has to bring back.
        var token: String
        /// Whether the user may change and unmask something, and not only look.
        var mayAct: Bool
        /// The cookie to set; nil if the browser has sent its session.
        var newCookie: String?
    }

    /// The decision about a request.
    enum Verdict: Sendable {
        case welcome(Visitor)
        case refused(PageAnswer.Status, String)
    }

    /// Decides about a request. A refusal has the status and the sentence of its answer.
    func judge(_ request: PageRequest) -> Verdict {
        guard let host = request.host, self.settings.servedHost.isMeant(by: host) else {
            return .refused(.misdirected, "This server is not known by that name.")
        }
        let name: String
        switch self.name(of: request) {
        case .success(let found): name = found
        case .failure(let refusal): return .refused(refusal.status, refusal.sentence)
        }
        let visitor = self.visitor(name, request)
        guard request.method == .post else { return .welcome(visitor) }
        guard visitor.mayAct else { return .refused(.forbidden, Self.readerMayNot) }
        guard self.comesFromHere(request, host) else {
            return .refused(.forbidden, "The form came from another site.")
        }
        guard visitor.newCookie == nil, let token = request.form[Self.tokenField],
            self.constantTime.areEqual(Array(token.utf8), Array(visitor.token.utf8))
        else {
            return .refused(.forbidden, "The form is too old or not of this session. Open the page again.")
        }
        return .welcome(visitor)
    }

    /// The sentence for a user who may only look.
    static let readerMayNot =
        "You may look, but change and unmask nothing. The settings say who may: serve.operators, serve.operator_groups."

    /// The reason why a request names no user that is accepted.
    private struct Refusal: Error {
        var status: PageAnswer.Status
        var sentence: String
    }

    /// Returns the name of the user.
    ///
    /// Without a proxy token in the settings it is the local user. With one, only the proxy and the users it
    /// was given to have the token, so the name in their request is accepted.
    private func name(of request: PageRequest) -> Result<String, Refusal> {
        guard let secret = self.settings.proxyToken?.current else { return .success(self.settings.localUser) }
        let claim = TokenClaim(request.headers["authorization"] ?? "")
        guard let claim, self.constantTime.areEqual(claim.token, secret.revealBytes()) else {
            return .failure(Refusal(status: .unauthorized, sentence: "This needs a token."))
        }
        guard let name = request.headers[self.settings.userHeader.lowercased()] ?? claim.name,
            1...Self.longestName ~= name.utf8.count, !name.unicodeScalars.contains(where: { $0.value < 0x20 })
        else {
            return .failure(
                Refusal(
                    status: .forbidden,
                    sentence: "The proxy did not say who you are, in the header \(self.settings.userHeader)."
                )
            )
        }
        return .success(name)
    }

    /// Returns the visitor of a request, with a new session if the request has none.
    private func visitor(_ name: String, _ request: PageRequest) -> Visitor {
        let known = request.cookie(Self.cookieName).flatMap { Self.isSession($0) ? $0 : nil }
        let session =
            known
            ?? String(
                decoding: Hexadecimal.encode(ConstantTime.randomBytes(Self.sessionDigits / 2)),
                as: UTF8.self
            )
        let token = self.authentication(Array("\(session):\(name)".utf8))
        return Visitor(
            name: name,
            session: session,
            token: String(decoding: Hexadecimal.encode(token), as: UTF8.self),
            mayAct: self.settings.mayAct(
                name,
                groups: request.headers[self.settings.groupsHeader.lowercased()]
            ),
            newCookie: known == nil ? self.cookie(session, request) : nil
        )
    }

    /// Whether a text has the form of a session id.
    private static func isSession(_ text: String) -> Bool {
        text.utf8.count == self.sessionDigits
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    /// Returns the `Set-Cookie` value of a session.
    private func cookie(_ session: String, _ request: PageRequest) -> String {
        // The header of a proxy that has the token also decides whether the browser uses TLS.
        let isSecure =
            self.settings.tls != nil
            || (self.settings.proxyToken != nil && request.headers["x-forwarded-proto"] == "https")
        return "\(Self.cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// Whether a form comes from a page of this server, by the headers `Origin` and `Sec-Fetch-Site`.
    ///
    /// Present-day browsers send at least one of them. A request with neither passes here, and still needs
    /// the form token.
    private func comesFromHere(_ request: PageRequest, _ host: String) -> Bool {
        if let origin = request.headers["origin"]?.lowercased() {
            guard let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }),
                origin.dropFirst(scheme.count) == host.lowercased()
            else { return false }
        }
        return ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"])
    }
}
