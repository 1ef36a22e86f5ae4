package import UpstreamHTTP
import WireFormats
package import WorkerKit

/// The end of one call. There will be no further case.
public enum Exchange: Hashable, Sendable {
    /// The upstream has answered.
    case response(Response)
    /// No byte of the request has left, so the upstream knows nothing of it.
    case failure(Failure)
    /// The upstream may have done what it was asked, and nobody knows. A repeat may do it twice.
    case ambiguous(Failure)

    package init(_ exchange: WorkerKit.Exchange) {
        switch exchange {
        case .response(let response): self = .response(Response(response))
        case .failure(let error): self = .failure(Failure(error))
        case .ambiguous(let error): self = .ambiguous(Failure(error))
        }
    }
}

/// A complete answer of the upstream.
public struct Response: Hashable, Sendable {
    /// The status code, 200 or above.
    public var status: Int
    /// The header fields that are kept: `retry-after` and `date`.
    public var headers: [HTTPField]
    /// The bytes of the body, at most `http.response_limit`.
    public var body: [UInt8]

    /// Makes an answer, for tests.
    public init(_ status: Int, headers: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header field; nil if there is none.
    public func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8) }?.value
    }

    /// Returns the wait that `Retry-After` asks for, in seconds or until a date; nil if there is none.
    public func retryAfter(_ attempt: Attempt) -> Duration? {
        self.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.nowMS) }
    }

    package init(_ response: HTTPResponse) {
        self.init(
            response.status,
            headers: response.headers.map { HTTPField($0.name, $0.value) },
            body: response.body
        )
    }

    package var http: HTTPResponse {
        HTTPResponse(
            status: self.status,
            headers: self.headers.map { HTTPHeader($0.name, $0.value) },
            body: self.body
        )
    }
}

/// The reason why a call has no complete answer.
public struct Failure: Hashable, Sendable {
    /// `resolve`, `connect`, `tls`, `timeout`, `cut`, `malformed`, `too_large` or `other`.
    public var kind: String
    /// The failure as a reason, such as `transport.timeout_after_send`. It quotes nothing of the call.
    public var reason: Reason

    package init(_ error: TransferError) {
        self.kind = error.kind.rawValue
        self.reason = Reason(error.reason)
    }
}
