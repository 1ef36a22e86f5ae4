import WorkerTestSupport

/// Somebody with a browser: keeps the session's cookie, and brings back what forms were given.
final class Visitor: Sendable {
    let http: PlainHTTP
    let host: String
    let cookie: String?
    let token: String?

    init(port: Int, host: String? = nil, cookie: String? = nil, token: String? = nil) {
        self.http = PlainHTTP(port: port)
        self.host = host ?? "127.0.0.1:\(port)"
        self.cookie = cookie
        self.token = token
    }

    func get(_ path: String, _ more: [String: String] = [:]) async throws -> PlainHTTP.Answer {
        try await self.http.request("GET", path, headers: self.headers(more))
    }

    func post(
        _ path: String,
        _ fields: [(String, String)],
        _ more: [String: String] = [:]
    ) async throws -> PlainHTTP.Answer {
        var pairs = fields
        if let token { pairs.append(("csrf", token)) }
        let body = pairs.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        let form = ["Content-Type": "application/x-www-form-urlencoded"].merging(more) { $1 }
        return try await self.http.request("POST", path, headers: self.headers(form), body: body)
    }

    /// The visitor with the session that a page has begun, and with the token of a form on that page.
    func signedIn(on path: String, _ more: [String: String] = [:]) async throws -> Visitor {
        let answer = try await self.get(path, more)
        let cookie = answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? self.cookie
        return Visitor(
            port: self.http.port,
            host: self.host,
            cookie: cookie,
            token: Self.value(of: "csrf", in: answer.body)
        )
    }

    /// The value of a hidden field.
    static func value(of name: String, in html: String) -> String? {
        guard let start = html.firstRange(of: "name=\"\(name)\" value=\"") else { return nil }
        return String(html[start.upperBound...].prefix { $0 != "\"" })
    }

    private func headers(_ more: [String: String]) -> [String: String] {
        var headers = ["Host": self.host]
        if let cookie { headers["Cookie"] = cookie }
        return headers.merging(more) { $1 }
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                byte < 0x80
                && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return isPlain
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
