@testable import WireFormats

extension FuzzTarget {
    /// Values one after the other, and all that is in them.
    static let asn1Reader = FuzzTarget(
        "asn1-reader",
        words: [
            "\u{30}\u{3}\u{2}\u{1}\u{7}", "\u{24}\u{4}\u{4}\u{2}ab", "\u{4}\u{2}ab", "\u{C}\u{1}a",
            "\u{16}\u{1}a", "\0\0",
        ]
    ) { input in
        var budget = 64
        try ASN1Claims.check(input.indices, of: input, &budget)
    }
}

private enum ASN1Claims {
    /// Walks over the values of a part of the bytes and, within a budget, over those inside them.
    static func check(_ range: Range<Int>, of bytes: [UInt8], _ budget: inout Int) throws {
        var reader = ASN1Reader(range)
        while budget > 0, !reader.isAtEnd {
            budget -= 1
            let start = reader.position
            guard let element = try? reader.next(in: bytes.span) else { return }
            let whole = start..<reader.position
            try claim("a value stands where it is read", range.contains(whole))
            try claim(
                "its content stands in it, behind a tag and a length",
                whole.contains(element.content) && element.content.lowerBound >= whole.lowerBound + 2
            )
            try self.check(element, alone: Array(bytes[whole]), Array(bytes[element.content]), at: start)
            try self.checkValues(element, of: bytes, Array(bytes[element.content]))
            if element.tag.isConstructed { try self.check(element.content, of: bytes, &budget) }
        }
    }

    private static func check(
        _ element: ASN1Reader.Element,
        alone: [UInt8],
        _ content: [UInt8],
        at start: Int
    ) throws {
        var reader = ASN1Reader(alone.indices)
        let same = try reader.next(in: alone.span)
        try claim(
            "a value means the same alone",
            same.tag == element.tag && same.content.lowerBound == element.content.lowerBound - start
                && same.content.count == content.count && reader.isAtEnd
        )
        let cut = Array(alone.dropLast())
        reader = ASN1Reader(cut.indices)
        try claim("a value that is cut is none", (try? reader.next(in: cut.span)) == nil)
        try claim("it promises more than is there", ASN1Reader.promisesMore(than: cut.span))

        let definite = BER.value(element.tag.rawValue, content)
        reader = ASN1Reader(definite.indices)
        let again = try reader.next(in: definite.span)
        try claim(
            "what was read is written and read as the same",
            again.tag == element.tag && Array(definite[again.content]) == content && reader.isAtEnd
        )
    }

    private static func checkValues(
        _ element: ASN1Reader.Element,
        of bytes: [UInt8],
        _ content: [UInt8]
    ) throws {
        if let number = try? element.integer(in: bytes.span) {
            let sign: UInt8 = number < 0 ? 0xFF : 0
            let padded = Array(repeating: sign, count: max(0, 8 - content.count)) + content
            let written = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            try claim("a number is that of its bytes", padded == written)
        }
        if let text = try? element.text(in: bytes.span) {
            try claim("a text is that of its bytes", Array(text.utf8) == content)
        }
        if let octets = try? element.octets(in: bytes.span).slice(of: bytes) {
            let inPieces = BER.pieces(octets)
            var reader = ASN1Reader(inPieces.indices)
            let joined = try reader.next(in: inPieces.span).octets(in: inPieces.span)
            try claim("pieces are joined", joined.slice(of: inPieces) == octets)
        }
    }
}
