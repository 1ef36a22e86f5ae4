/// What a browser asked for, as far as the pages look at it.
struct PageRequest: Sendable {
    enum Method: Sendable {
        case get
        case post
        case other
    }

    var method: Method
    /// Before the question mark, as it came.
    var path: String
    var query: FormFields
    /// What `Host` says; nil if the request has none.
    var host: String?
    /// The last value of each header, by its name in small letters.
    var headers: [String: String]
    /// Of a posted form; empty for all else.
    var form = FormFields()

    /// Everything after the first slash, cut at the others.
    var steps: [Substring] {
        self.path.split(separator: "/", omittingEmptySubsequences: true)
    }

    /// Whether the browser says that somebody came here by a link on another site.
    var isFollowedLink: Bool {
        self.method == .get && self.headers["sec-fetch-site"] == "cross-site"
            && self.headers["sec-fetch-mode"] == "navigate"
    }

    func cookie(_ name: String) -> String? {
        for pair in (self.headers["cookie"] ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { continue }
            return String(parts[1])
        }
        return nil
    }
}
