/// A complete answer of an upstream, whose body has been read to its end.
package struct HTTPResponse: Hashable, Sendable {
    /// The status code of the final answer, 200 or above; interim answers are skipped.
    package var status: Int
    /// The header fields that `HTTPClientSettings.keptHeaders` names, in that order. All others are dropped.
    package var headers: [HTTPHeader]
    /// The bytes of the body.
    package var body: [UInt8]

    /// Makes a response from its parts.
    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header field, or nil. The name is compared without regard to case.
    package func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8) }?.value
    }
}
