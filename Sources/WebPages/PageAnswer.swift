/// What is sent back.
package struct PageAnswer: Sendable {
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

    package var status: Status
    package var body: [UInt8]
    package var headers: [(name: String, value: String)]

    package init(_ status: Status, _ contentType: String, _ body: String) {
        self.status = status
        self.body = Array(body.utf8)
        self.headers = [("Content-Type", contentType)]
    }

    package static func page(_ html: String, _ status: Status = .ok) -> PageAnswer {
        PageAnswer(status, "text/html; charset=utf-8", html)
    }

    /// - Parameter path: of ours, and nothing that came from outside.
    package static func redirect(to path: String) -> PageAnswer {
        var answer = PageAnswer(.seeOther, "text/plain; charset=utf-8", "")
        answer.headers.append(("Location", path))
        return answer
    }

    /// What every answer says: that nothing from elsewhere is loaded or run, that it is shown in no frame, and kept
    /// by nobody.
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
        // Not "no-referrer": a browser would then call the origin of a posted form "null".
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]
}
