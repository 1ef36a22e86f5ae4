/// The answer to a request: status, headers and body. `response(to:)` adds the strict headers.
package struct PageAnswer: Sendable {
    /// The HTTP status codes that pages use.
    package enum Status: Int, Sendable {
        case ok = 200
        case seeOther = 303
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case conflict = 409
        case tooLarge = 413
        case misdirected = 421
        case failed = 500
        case unavailable = 503
    }

    /// The status code.
    package var status: Status
    /// The bytes of the body; a `HEAD` request does not get them.
    package var body: [UInt8]
    /// The headers beside the strict ones, in order.
    package var headers: [(name: String, value: String)]

    /// Creates an answer with a text as its body.
    package init(_ status: Status, _ contentType: String, body: String) {
        self.status = status
        self.body = Array(body.utf8)
        self.headers = [("Content-Type", contentType)]
    }

    /// Returns an answer with a page in HTML.
    package static func page(_ html: String, _ status: Status = .ok) -> PageAnswer {
        PageAnswer(status, "text/html; charset=utf-8", body: html)
    }

    /// Returns an answer that sends the browser to another page (303 See Other).
    ///
    /// - Parameter path: a path of this server. No text from outside may be in it unless it is encoded.
    package static func redirect(to path: String) -> PageAnswer {
        var answer = PageAnswer(.seeOther, "text/plain; charset=utf-8", body: "")
        answer.headers.append(("Location", path))
        return answer
    }

    /// The headers of every answer. With them the browser loads and runs nothing from other sites, shows the
    /// page in no frame, and stores nothing.
    package static let strictHeaders: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            """
            default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
            form-action 'self'; frame-ancestors 'none'; base-uri 'none'
            """
        ),
        ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
        // With "no-referrer", a browser would send the origin of a posted form as "null".
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]
}
