import ServiceKit
import UpstreamHTTP

/// The rules of the requests that records of one lane share. Each element holds the request that its record
/// would have had alone.
struct SimulatedBatch: BatchTemplate {
    /// The sizes of such requests, and their number.
    struct Limits: Hashable, Sendable {
        var elements: Int
        var bytes: Int
        var requests: Int
        /// The lanes whose requests cannot be written yet, as those of an account without a token.
        var unreadyLanes: Set<String> = []
    }

    /// The status with which the upstream refuses a request whose elements deserve different answers.
    static let refusal = 421
    /// The header of a record, and of its calls, whose calls share requests.
    static let header = "joined"

    let limits: Limits
    let endpoint: SimulatedHandler.Endpoint
    let lane: String

    var key: String { "\(self.endpoint) \(self.lane)" }
    var elementsLimit: Int { self.limits.elements }
    var bytesLimit: Int { self.limits.bytes }
    var requestsLimit: Int { self.limits.requests }
    var isReady: Bool { !self.limits.unreadyLanes.contains(self.lane) }

    func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest {
        HTTPRequest(
            method: .post,
            url: "https://\(self.endpoint).example/\(Self.path)",
            headers: [HTTPHeader("nonce", nonce)],
            body: Array(elements.joined(separator: [UInt8(ascii: "\n")]))
        )
    }

    func scope(of response: HTTPResponse) -> BatchScope {
        switch response.status {
        case Self.refusal: .somePart
        case 429: .key
        case 500...: .failed
        default: response.body.isEmpty ? .request : .failed
        }
    }

    // MARK: elements

    private static let path = "batch"

    /// Returns the element for a request of one record. Its parts are separated by tabs.
    static func element(of request: HTTPRequest) -> [UInt8] {
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        let headers = request.headers.flatMap { [$0.name, $0.value] }
        return Array(([request.url, body] + headers).joined(separator: "\t").utf8)
    }

    /// Returns the requests that a request stands for: those of its elements, or itself.
    static func requests(in request: HTTPRequest) -> [HTTPRequest] {
        guard request.url.hasSuffix("/\(self.path)") else { return [request] }
        return (request.body ?? []).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { self.request(of: Array($0)) }
    }

    /// Returns the request of one record from its element.
    static func request(of element: [UInt8]) -> HTTPRequest {
        let fields = element.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let headers = stride(from: 2, to: fields.count - 1, by: 2).map {
            HTTPHeader(fields[$0], fields[$0 + 1])
        }
        return HTTPRequest(
            method: .post,
            url: fields[0],
            headers: headers,
            body: fields.count > 1 ? Array(fields[1].utf8) : nil
        )
    }
}

extension SimulatedUpstream.Reply {
    /// Returns the one answer to a request of several records, from those that each would have got alone. It
    /// comes when the last of them would have come.
    ///
    /// Like Tencent's, the upstream takes all of them or none: if they deserve different answers, nothing is
    /// done for any.
    static func joined(_ replies: [Self]) -> Self {
        guard var reply = replies.first else { return Self(SimulatedBatch.refusal) }
        reply.latency = replies.map(\.latency).max() ?? reply.latency
        guard replies.contains(where: { $0.result != reply.result }) else { return reply }
        let forAll = replies.first { other in
            guard case .success(let response) = other.result else { return true }
            return response.status == 429
        }
        reply.result = forAll?.result ?? .success(HTTPResponse(status: SimulatedBatch.refusal))
        return reply
    }
}
