import NIOCore
import NIOHTTP1

/// The answer to a request, before it becomes an HTTP response.
enum Answer: Error, Equatable, Sendable {
    /// The cluster has acknowledged these records.
    case taken(records: Int)
    case notFound
    case methodNotAllowed(HTTPMethod)
    /// The request cannot become a record, for this reason.
    case malformed(String)
    case tooLarge
    /// The request is beyond a rate; after these seconds another one may pass.
    case tooFast(seconds: Int64)
    /// The records are not published, or nobody knows.
    case unavailable

    /// The seconds after which a client may ask again when the cluster takes no records.
    private static let pause = "5"

    var status: HTTPResponseStatus {
        switch self {
        case .taken: .ok
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .malformed: .badRequest
        case .tooLarge: .payloadTooLarge
        case .tooFast: .tooManyRequests
        case .unavailable: .serviceUnavailable
        }
    }

    /// Whether the request is refused for what it is, or for a rate of its client.
    var isAboutTheRequest: Bool {
        switch self {
        case .notFound, .methodNotAllowed, .malformed, .tooFast: true
        case .taken, .tooLarge, .unavailable: false
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

    /// Returns the head and the body of the response. The click feed wants JSON with `ret` 0 for a click that was
    /// taken, and counts everything else as failed (Tencent's description of the click feed).
    ///
    /// - Parameter closes: whether the connection is closed behind it.
    func response(on route: Route?, closes: Bool) -> (head: HTTPResponseHead, text: String) {
        var headers: HTTPHeaders = ["Cache-Control": "no-store"]
        if closes { headers.add(name: "Connection", value: "close") }
        switch self {
        case .methodNotAllowed(let method): headers.add(name: "Allow", value: method.rawValue)
        case .tooFast(let seconds): headers.add(name: "Retry-After", value: String(seconds))
        case .unavailable: headers.add(name: "Retry-After", value: Self.pause)
        case .taken, .notFound, .malformed, .tooLarge: break
        }
        let text: String
        if route == .clicks {
            headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
            text = "{\"ret\":\(self.status == .ok ? 0 : self.status.code),\"msg\":\"\(self.words)\"}"
        } else {
            headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
            text = self.words + "\n"
        }
        headers.add(name: "Content-Length", value: String(text.utf8.count))
        return (HTTPResponseHead(version: .http1_1, status: self.status, headers: headers), text)
    }
}
