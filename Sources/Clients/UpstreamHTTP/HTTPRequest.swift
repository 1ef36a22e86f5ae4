/// One complete request to an upstream. The client adds to it only what HTTP itself requires.
package struct HTTPRequest: Hashable, Sendable {
    /// The HTTP methods that the upstreams use.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// The addresses to which a request may be sent.
    package enum Reach: Hashable, Sendable {
        /// Every address that the host's name stands for.
        case everywhere
        /// Addresses of the public internet only, for a URL that came from outside. A host with another
        /// address ends the request with `TransferError.Kind.address`, before anything is sent.
        case publicInternet
    }

    package var method: Method
    /// The absolute URL, with every reserved byte already percent-encoded. It is sent byte for byte.
    package var url: String
    /// The header fields, sent in this order. Fields that belong to the connection, such as `Content-Length`,
    /// are refused.
    package var headers: [HTTPHeader]
    /// The body of a POST; nil and empty are sent alike. A GET with a body is refused.
    package var body: [UInt8]?
    /// The addresses to which the request may be sent.
    package var reach = Reach.everywhere

    /// Makes a request. `HTTPClient.start` checks it.
    package init(method: Method, url: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One header field. Code that looks a field up must compare its name without regard to case.
package struct HTTPHeader: Hashable, Sendable {
    /// The name, which must be a token as RFC 9110 defines it.
    package var name: String
    /// The value, in which no control character but the tab is allowed.
    package var value: String

    /// Makes a field from its name and its value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
