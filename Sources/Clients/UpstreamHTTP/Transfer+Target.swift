internal import CCurl

/// Tells libcurl the destination of a request in two parts.
///
/// libcurl parses a URL anew for every request, at a cost that grows with its length: for a query of 300
/// bytes, a quarter of the whole exchange. It is therefore given the origin, which seldom changes, in parsed form,
/// and the rest as the literal target of the request line.
extension Transfer {
    func setTarget(_ url: String) -> CURLcode {
        let originEnd = Self.originEnd(of: url)
        guard let originEnd else {
            self.origin = ""
            for code in unsafe [
                ccurl_set_pointer(self.easy, CURLOPT_CURLU, nil),
                ccurl_set_string(self.easy, CURLOPT_REQUEST_TARGET, nil),
            ] where code != CURLE_OK {
                return code
            }
            return unsafe ccurl_set_string(self.easy, CURLOPT_URL, url)
        }
        if self.origin.utf8.count != originEnd || !url.hasPrefix(self.origin) {
            let origin = String(decoding: url.utf8.prefix(originEnd), as: UTF8.self)
            self.origin = ""
            guard unsafe curl_url_set(self.address, CURLUPART_URL, origin, 0) == CURLUE_OK else {
                return CURLE_URL_MALFORMAT
            }
            let code = unsafe ccurl_set_pointer(self.easy, CURLOPT_CURLU, UnsafeRawPointer(self.address))
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
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "/"):
                slashes += 1
                guard slashes == 3 else { continue }
                return bytes.contains { $0 == UInt8(ascii: "#") } ? nil : index
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
            default: break
            }
        }
        return nil
    }
}
