/// A complete answer of an upstream: the body has been read to its end.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    /// Only the fields named in `HTTPClientSettings.keptHeaders`, in that order.
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header field, its name compared without regard to case.
    package func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
