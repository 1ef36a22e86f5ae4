/// The decrypted contents of the field `v`: a query, and the signature over that query.
struct SignedQuery {
    let query: ArraySlice<UInt8>
    private let signature: ArraySlice<UInt8>

    /// Decrypts a report; nil if the clear text is not printable ASCII of the form `k=v&…&sign=…`. `key` must
    /// not be empty.
    init?(deciphering cipher: [UInt8], with key: [UInt8]) {
        var clear = cipher
        var turn = 0
        for index in clear.indices {
            clear[index] ^= key[turn]
            turn = turn + 1 == key.count ? 0 : turn + 1
        }
        guard clear.allSatisfy({ (0x21...0x7e).contains($0) }),
            let lastPair = clear.lastIndex(of: UInt8(ascii: "&")),
            clear[lastPair...].starts(with: "&sign=".utf8),
            FormFields(decoding: clear[..<lastPair]).isWellFormed
        else { return nil }
        self.query = clear[..<lastPair]
        self.signature = clear[lastPair...].dropFirst("&sign=".utf8.count)
    }

    /// Whether the signature is valid. The signed URL has GDT's own host, whichever host the request was sent
    /// to.
    func isSigned(for appID: String, with signKey: [UInt8]) -> Bool {
        var property = signKey
        property.reserveCapacity(signKey.count + self.query.count * 2 + 128)
        property.append(contentsOf: "&GET&".utf8)
        PercentEncoding.append("http://t.gdt.qq.com/conv/app/".utf8, to: &property)
        PercentEncoding.append(appID.utf8, to: &property)
        PercentEncoding.append("/conv?".utf8, to: &property)
        PercentEncoding.append(self.query, to: &property)
        return self.signature.elementsEqual(MD5.hexDigest(of: property))
    }
}
