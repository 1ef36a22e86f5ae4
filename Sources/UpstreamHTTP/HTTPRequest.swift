/// One request to an upstream, complete: nothing is added to it but what HTTP itself needs.
package struct HTTPRequest: Hashable, Sendable {
    /// The methods that the fleet's upstreams use.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    /// Absolute, with every reserved byte already percent-encoded. Sent byte for byte.
    package var url: String
    package var headers: [HTTPHeader]
    package var body: [UInt8]?

    package init(method: Method, url: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// A header field. Names are compared without regard to case by whoever looks one up.
package struct HTTPHeader: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
