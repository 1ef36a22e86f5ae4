/// Checks that keep text from libcurl which libcurl would interpret in a way that the caller did not intend.
extension HTTPRequest {
    /// The reason why this request is refused, or nil. Its headers are checked later, when they are given to
    /// libcurl.
    var refusal: String? {
        if self.method == .get && self.body != nil {
            return "a GET with a body"
        }
        return Self.refusal(ofURL: self.url)
    }

    private static func refusal(ofURL url: String) -> String? {
        let bytes = url.utf8.span
        let schemeLength: Int
        if Self.hasPrefix("http://", bytes) {
            schemeLength = 7
        } else if Self.hasPrefix("https://", bytes) {
            schemeLength = 8
        } else {
            return "a URL that does not begin with http:// or https://"
        }
        // A URL must be printable ASCII. All other bytes have to be percent-encoded.
        guard !bytes.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
            return "a URL with a byte that is not printable ASCII"
        }
        for index in schemeLength..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "@"): return "a URL with credentials in it"
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                return index == schemeLength ? "a URL without a host" : nil
            default: break
            }
        }
        return bytes.count > schemeLength ? nil : "a URL without a host"
    }

    /// Compares without regard to the case of letters, which has no meaning in a scheme. `prefix` is in lower
    /// case.
    private static func hasPrefix(_ prefix: String, _ bytes: borrowing Span<UInt8>) -> Bool {
        guard bytes.count >= prefix.utf8.count else { return false }
        for (index, byte) in prefix.utf8.enumerated() {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            guard bytes[index] == byte || isLetter && bytes[index] | 0x20 == byte else { return false }
        }
        return true
    }
}

extension HTTPHeader {
    /// The reason why this header is refused, or nil.
    var refusal: String? {
        if !self.hasTokenName {
            return "a header name that is not a token"
        }
        // A tab is the only control character that a value may contain.
        if !self.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) {
            return "a header value with a control character"
        }
        switch self.name.lowercased() {
        case "connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade":
            return "a header that belongs to the connection"
        default: return nil
        }
    }

    var hasTokenName: Bool {
        !self.name.isEmpty
            && self.name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
                    UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}

extension Span<UInt8> {
    /// Returns whether some byte is of a kind. All bytes are looked at, so that the compiler can look at sixteen at
    /// a time: a URL has hundreds of bytes, and is mostly right.
    @inline(__always)
    func contains(where isOfKind: (UInt8) -> Bool) -> Bool {
        var found = false
        for index in self.indices { found = unsafe isOfKind(self[unchecked: index]) || found }
        return found
    }
}
