import Cryptography
import Operations
import WebPages
import WireFormats

/// Decides who may come in and who may change something. Pure, but for the keys it is born with.
struct Gate: Sendable {
    private let settings: PagesSettings
    private let constantTime = ConstantTime()
    /// Of this process: what a page was given before a restart is worth nothing after it.
    private let authentication = MessageAuthentication(key: ConstantTime.randomBytes(32))

    static let cookieName = "dead-letters-session"
    static let tokenField = "csrf"
    private static let sessionDigits = 32
    private static let longestName = 128

    init(_ settings: PagesSettings) { self.settings = settings }

    /// Somebody who was let in.
    struct Visitor: Sendable {
        /// As the ledger and the audit trail will have it.
        var name: String
        var session: String
        /// What a form of theirs has to bring back.
        var token: String
        /// Set if the browser has to be told of its session.
        var newCookie: String?
    }

    enum Verdict: Sendable {
        case welcome(Visitor)
        case refused(PageAnswer.Status, String)
    }

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

    private struct Refusal: Error {
        var status: PageAnswer.Status
        var sentence: String
    }

    /// Whoever has the token is the proxy, or somebody whom it was given to: those are believed who they say they are.
    private func name(of request: PageRequest) -> Result<String, Refusal> {
        guard let secret = self.settings.proxyToken else { return .success(self.settings.localUser) }
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
            newCookie: known == nil ? self.cookie(session, request) : nil
        )
    }

    private static func isSession(_ text: String) -> Bool {
        text.utf8.count == self.sessionDigits
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    private func cookie(_ session: String, _ request: PageRequest) -> String {
        // A proxy that has shown its token is believed about TLS too.
        let isSecure =
            self.settings.tls != nil
            || (self.settings.proxyToken != nil && request.headers["x-forwarded-proto"] == "https")
        return "\(Self.cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// Browsers say where a form was. What says nothing is no browser of today, and still needs the token.
    private func comesFromHere(_ request: PageRequest, _ host: String) -> Bool {
        if let origin = request.headers["origin"]?.lowercased() {
            guard let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }),
                origin.dropFirst(scheme.count) == host.lowercased()
            else { return false }
        }
        return ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"])
    }
}
