// What the values that receipts are made of say, once they are found.

extension ASN1Reader {
    /// The bytes of an octet string.
    enum Octets {
        /// Where they stand.
        case whole(Range<Int>)
        /// They came in pieces, as only BER has it.
        case joined([UInt8])
    }
}

extension ASN1Reader.Octets {
    /// Has them read: `bytes` are those that the string stands in.
    func read<Value>(
        in bytes: Span<UInt8>,
        _ read: (_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ASN1Reader.Fault) -> Value
    ) throws(ASN1Reader.Fault) -> Value {
        switch self {
        case .whole(let range): try read(bytes, range)
        case .joined(let joined): try read(joined.span, joined.indices)
        }
    }

    /// `bytes` are those that the string stands in.
    func slice(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        switch self {
        case .whole(let range): bytes[range]
        case .joined(let joined): joined[...]
        }
    }
}

extension ASN1Reader.Element {
    /// The bytes of an octet string, joined if it comes in pieces.
    func octets(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> ASN1Reader.Octets {
        if self.tag == .octetString { return .whole(self.content) }
        var joined: [UInt8] = []
        try self.join(to: &joined, in: bytes, depth: 1)
        return .joined(joined)
    }

    private func join(
        to joined: inout [UInt8],
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(ASN1Reader.Fault) {
        switch self.tag {
        case .octetString:
            joined += [UInt8](bytes, self.content)
        case .octetStringInPieces where depth < ASN1Reader.depthLimit:
            var pieces = ASN1Reader(self.content)
            while !pieces.isAtEnd {
                try pieces.next(in: bytes).join(to: &joined, in: bytes, depth: depth + 1)
            }
        default:
            throw ASN1Reader.Fault()
        }
    }

    /// The number of an integer. Fails if it does not fit.
    func integer(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Int64 {
        guard self.tag == .integer else { throw ASN1Reader.Fault() }
        return try ASN1Reader.integer(self.content, in: bytes)
    }

    /// The text of a string in UTF-8 or ASCII. Fails if it is not that.
    func text(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> String {
        switch self.tag {
        case .utf8String: break
        case .ia5String:
            guard self.content.allSatisfy({ bytes[$0] < 0x80 }) else { throw ASN1Reader.Fault() }
        default: throw ASN1Reader.Fault()
        }
        guard let text = try? UTF8Span(validating: bytes.extracting(self.content)) else {
            throw ASN1Reader.Fault()
        }
        return String(copying: text)
    }
}

extension ASN1Reader {
    /// Steps over an integer, and says its number. Fails if that does not fit.
    mutating func integer(in bytes: Span<UInt8>) throws(Fault) -> Int64 {
        try Self.integer(try self.next(.integer, in: bytes), in: bytes)
    }

    fileprivate static func integer(_ content: Range<Int>, in bytes: Span<UInt8>) throws(Fault) -> Int64 {
        guard (1...8).contains(content.count) else { throw Fault() }
        var number: Int64 = bytes[content.lowerBound] & 0x80 == 0 ? 0 : -1
        for index in content { number = number << 8 | Int64(bytes[index]) }
        return number
    }
}

extension [UInt8] {
    /// A copy of a part of some bytes.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        self = range.map { bytes[$0] }
    }
}
