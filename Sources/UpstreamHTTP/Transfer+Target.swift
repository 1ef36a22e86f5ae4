internal import CCurl

/// Where a request goes, told to libcurl in two parts.
///
/// libcurl takes a URL apart anew for every request, at a cost that grows with its length: for a query of 300 bytes
/// a quarter of the whole exchange. It gets the origin only, which seldom changes, and the rest as the literal
/// target of the request line.
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
        // libcurl copies what it is given.
        return unsafe url.withCString {
            unsafe ccurl_set_string(self.easy, CURLOPT_REQUEST_TARGET, $0 + originEnd)
        }
    }

    /// Where the path of a URL begins that can be sent as it stands. Nil for one without a path, or with a fragment,
    /// which is not for the server to see: libcurl knows what to do about those.
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
