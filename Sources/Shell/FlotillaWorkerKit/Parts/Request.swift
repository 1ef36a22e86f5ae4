package import UpstreamHTTP

/// One header field of a request or of a response. Names are compared without regard to case.
public struct HTTPField: Hashable, Sendable {
    /// The name, a token as RFC 9110 defines it.
    public var name: String
    /// The value, without control characters.
    public var value: String

    /// Makes a field from its name and its value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request to the upstream. The client adds to it only what HTTP requires; it verifies TLS and follows no
/// redirect.
public struct Request: Hashable, Sendable {
    /// The methods that are known.
    public enum Method: String, Hashable, Sendable {
        /// A request without a body.
        case get = "GET"
        /// A request with a body.
        case post = "POST"
    }

    /// The method.
    public var method: Method
    /// The absolute URL, percent-encoded as it is to be sent.
    public var url: String
    /// The header fields, sent in this order. Fields that belong to the connection are refused.
    public var headers: [HTTPField]
    /// The body of a POST; nil for a GET.
    public var body: [UInt8]?

    /// Makes a request.
    public init(_ method: Method, _ url: String, headers: [HTTPField] = [], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    package init(_ request: HTTPRequest) {
        self.init(
            request.method == .get ? .get : .post,
            request.url,
            headers: request.headers.map { HTTPField($0.name, $0.value) },
            body: request.body
        )
    }

    package var http: HTTPRequest {
        HTTPRequest(
            method: self.method == .get ? .get : .post,
            url: self.url,
            headers: self.headers.map { HTTPHeader($0.name, $0.value) },
            body: self.body
        )
    }
}
