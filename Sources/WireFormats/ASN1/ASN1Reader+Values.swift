// What the values that receipts are made of say, once they are found.

extension ASN1Reader.Element {
    /// The bytes of an octet string, joined if it comes in pieces.
    func octets() throws(ASN1Reader.Fault) -> ArraySlice<UInt8> {
        try self.octets(depth: 1)
    }

    private func octets(depth: Int) throws(ASN1Reader.Fault) -> ArraySlice<UInt8> {
        switch self.tag {
        case .octetString:
            return self.content
        case .octetStringInPieces where depth < ASN1Reader.depthLimit:
            var pieces = ASN1Reader(self.content)
            var joined: [UInt8] = []
            while !pieces.isAtEnd {
                joined += try pieces.next().octets(depth: depth + 1)
            }
            return joined[...]
        default:
            throw ASN1Reader.Fault()
        }
    }

    /// The number of an integer. Fails if it does not fit.
    func integer() throws(ASN1Reader.Fault) -> Int64 {
        guard self.tag == .integer, let first = self.content.first, self.content.count <= 8 else {
            throw ASN1Reader.Fault()
        }
        let sign: Int64 = first & 0x80 == 0 ? 0 : -1
        return self.content.reduce(sign) { $0 << 8 | Int64($1) }
    }

    /// The text of a string in UTF-8 or ASCII. Fails if it is not that.
    func text() throws(ASN1Reader.Fault) -> String {
        switch self.tag {
        case .utf8String:
            guard let text = String(validating: self.content, as: UTF8.self) else {
                throw ASN1Reader.Fault()
            }
            return text
        case .ia5String:
            guard self.content.allSatisfy({ $0 < 0x80 }) else { throw ASN1Reader.Fault() }
            return String(decoding: self.content, as: UTF8.self)
        default:
            throw ASN1Reader.Fault()
        }
    }
}
