import WireFormats

/// The parts of a browser's request that the pages use.
package struct PageRequest: Sendable {
    /// The methods that pages tell apart.
    package enum Method: Sendable {
        /// `GET` or `HEAD`.
        case get
        case post
        case other
    }

    /// The method of the request.
    package var method: Method
    /// The path before the question mark, still encoded.
    package var path: String
    /// The fields after the question mark.
    package var query: FormFields
    /// The value of the `Host` header; nil if the request has none.
    package var host: String?
    /// The last value of each header, by the header's name in lower case.
    package var headers: [String: String]
    /// The fields of a posted form; empty for every other request.
    package var form = FormFields()

    /// Creates a request without a form; the caller sets `form` once it has read the body.
    package init(
        method: Method,
        path: String,
        query: FormFields,
        host: String?,
        headers: [String: String]
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.host = host
        self.headers = headers
    }

    /// The parts of the path between its slashes, without empty ones.
    package var steps: [Substring] {
        self.path.split(separator: "/", omittingEmptySubsequences: true)
    }

    /// Whether the browser says that the user has followed a link on another site, by the headers
    /// `Sec-Fetch-Site` and `Sec-Fetch-Mode`.
    package var isFollowedLink: Bool {
        self.method == .get && self.headers["sec-fetch-site"]?.isExactly("cross-site") == true
            && self.headers["sec-fetch-mode"]?.isExactly("navigate") == true
    }

    /// Returns the value of a cookie; nil if the request has none of this name.
    package func cookie(_ name: String) -> String? {
        // By bytes: a stranger chooses the text, and it can be long.
        for pair in (self.headers["cookie"] ?? "").utf8.split(separator: UInt8(ascii: ";")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, parts[0].drop(while: { $0 == UInt8(ascii: " ") }).elementsEqual(name.utf8)
            else { continue }
            return String(decoding: parts[1], as: UTF8.self)
        }
        return nil
    }
}
