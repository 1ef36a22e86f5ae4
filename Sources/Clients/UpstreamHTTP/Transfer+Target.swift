internal import CCurl

/// Tells libcurl the destination of a request in two parts.
///
/// libcurl parses the URL anew for every request, at a cost that grows with its length: for a query of 300
/// bytes, a quarter of the whole exchange. It is therefore given only the origin as a URL, which seldom
/// changes, and the rest as the literal target of the request line.
extension Transfer {
    func setTarget(_ url: String) -> CURLcode {
        let originEnd = Self.originEnd(of: url)
        guard let originEnd else {
            self.origin = ""
            let code = unsafe ccurl_set_string(self.easy, CURLOPT_REQUEST_TARGET, nil)
            return code == CURLE_OK ? unsafe ccurl_set_string(self.easy, CURLOPT_URL, url) : code
        }
        if self.origin.utf8.count != originEnd || !url.hasPrefix(self.origin) {
            let origin = String(decoding: url.utf8.prefix(originEnd), as: UTF8.self)
            let code = unsafe ccurl_set_string(self.easy, CURLOPT_URL, origin)
            guard code == CURLE_OK else { return code }
            self.origin = origin
        }
        // libcurl copies the target.
        return unsafe url.withCString {
            unsafe ccurl_set_string(self.easy, CURLOPT_REQUEST_TARGET, $0 + originEnd)
        }
    }

    /// Returns the position at which the path of a URL begins, if the rest can be sent as it is. Nil for a
    /// URL without a path, or with a fragment, which the server must not see; libcurl handles both correctly
    /// when it gets the whole URL.
    private static func originEnd(of url: String) -> Int? {
        let bytes = url.utf8.span
        var slashes = 0
        var end: Int?
        for index in 0..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "/"):
                slashes += 1
                if slashes == 3, end == nil { end = index }
            case UInt8(ascii: "?") where end == nil: return nil
            case UInt8(ascii: "#"): return nil
            default: break
            }
        }
        return end
    }
}
