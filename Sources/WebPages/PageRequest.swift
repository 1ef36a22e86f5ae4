/// What a browser asked for, as far as the pages look at it.
package struct PageRequest: Sendable {
    package enum Method: Sendable {
        case get
        case post
        case other
    }

    package var method: Method
    /// Before the question mark, as it came.
    package var path: String
    package var query: FormFields
    /// What `Host` says; nil if the request has none.
    package var host: String?
    /// The last value of each header, by its name in small letters.
    package var headers: [String: String]
    /// Of a posted form; empty for all else.
    package var form = FormFields()

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

    /// Everything after the first slash, cut at the others.
    package var steps: [Substring] {
        self.path.split(separator: "/", omittingEmptySubsequences: true)
    }

    /// Whether the browser says that somebody came here by a link on another site.
    package var isFollowedLink: Bool {
        self.method == .get && self.headers["sec-fetch-site"] == "cross-site"
            && self.headers["sec-fetch-mode"] == "navigate"
    }

    package func cookie(_ name: String) -> String? {
        for pair in (self.headers["cookie"] ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { continue }
            return String(parts[1])
        }
        return nil
    }
}
