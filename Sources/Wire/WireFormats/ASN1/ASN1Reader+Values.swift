// Reading of the value types that receipts consist of.

extension ASN1Reader {
    /// The bytes of an octet string.
    enum Octets {
        /// The string is in one piece, at this range of the bytes that it was read from.
        case whole(Range<Int>)
        /// The string came in several pieces, which only BER allows; these are its joined bytes.
        case joined([UInt8])
    }
}

extension ASN1Reader.Octets {
    /// Passes the string's bytes to `read`. `bytes` are the bytes that the string was found in.
    func read<Value>(
        in bytes: Span<UInt8>,
        _ read: (_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ASN1Reader.Fault) -> Value
    ) throws(ASN1Reader.Fault) -> Value {
        switch self {
        case .whole(let range): try read(bytes, range)
        case .joined(let joined): try read(joined.span, joined.indices)
        }
    }

    /// Returns the string's bytes. `bytes` are the bytes that the string was found in.
    func slice(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        switch self {
        case .whole(let range): bytes[range]
        case .joined(let joined): joined[...]
        }
    }
}

extension ASN1Reader.Element {
    /// Returns the bytes of an octet string, joined if it comes in pieces. Throws for any other value.
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

    /// Returns the number of an integer. Throws for any other value, and if the number takes more than 8
    /// bytes.
    func integer(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Int64 {
        guard self.tag == .integer else { throw ASN1Reader.Fault() }
        return try ASN1Reader.integer(self.content, in: bytes)
    }

    /// Returns the text of a UTF-8 or IA5 (ASCII) string. Throws for any other value, and for other bytes.
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
    /// Steps over an integer and returns its number. Throws if the number takes more than 8 bytes.
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
    /// Copies a range of some bytes.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        self = range.map { bytes[$0] }
    }
}
