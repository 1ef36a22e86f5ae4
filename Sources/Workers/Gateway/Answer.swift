import Hummingbird

/// The answer to a request, before it becomes an HTTP response.
enum Answer: Error, Hashable, Sendable {
    /// The cluster has acknowledged these records.
    case taken(records: Int)
    case notFound
    case methodNotAllowed(HTTPRequest.Method)
    /// The request cannot become a record, for this reason.
    case malformed(String)
    case tooLarge
    /// The request is beyond a rate; after these seconds another one may pass.
    case tooFast(seconds: Int64)
    /// The records are not published, or nobody knows.
    case unavailable

    /// The seconds after which a client may ask again when the cluster takes no records.
    private static let pause = "5"

    var status: HTTPResponse.Status {
        switch self {
        case .taken: .ok
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .malformed: .badRequest
        case .tooLarge: .contentTooLarge
        case .tooFast: .tooManyRequests
        case .unavailable: .serviceUnavailable
        }
    }

    private var words: String {
        switch self {
        case .taken: "ok"
        case .notFound: "not found"
        case .methodNotAllowed(let method): "only \(method.rawValue)"
        case .malformed(let reason): reason
        case .tooLarge: "too large"
        case .tooFast: "too many requests"
        case .unavailable: "unavailable"
        }
    }

    /// Returns the response. The click feed wants JSON with `ret` 0 for a click that was taken, and counts
    /// everything else as failed (Tencent's description of the click feed).
    ///
    /// - Parameter closes: whether the connection is closed behind it.
    func response(on route: Route?, closes: Bool) -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if closes { headers[.connection] = "close" }
        switch self {
        case .methodNotAllowed(let method): headers[.allow] = method.rawValue
        case .tooFast(let seconds): headers[.retryAfter] = String(seconds)
        case .unavailable: headers[.retryAfter] = Self.pause
        case .taken, .notFound, .malformed, .tooLarge: break
        }
        let text: String
        if route == .clicks {
            headers[.contentType] = "application/json; charset=utf-8"
            text = "{\"ret\":\(self.status == .ok ? 0 : self.status.code),\"msg\":\"\(self.words)\"}"
        } else {
            headers[.contentType] = "text/plain; charset=utf-8"
            text = self.words + "\n"
        }
        return Response(
            status: self.status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
