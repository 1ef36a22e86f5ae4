import TestMaterial
import Testing

@testable import WireFormats

@Suite struct ASN1ReaderTests {
    @Test(
        arguments: [
            ([0x04, 0x00], []),
            ([0x04, 0x02, 0x01, 0x02], [1, 2]),
            ([0x04, 0x81, 0x01, 0x07], [7]),
            ([0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0x07], [7]),
            ([0x24, 0x04, 0x04, 0x02, 0x01, 0x02], [1, 2]),
            ([0x24, 0x80, 0x04, 0x01, 0x01, 0x04, 0x01, 0x02, 0x00, 0x00], [1, 2]),
            ([0x24, 0x80, 0x24, 0x80, 0x04, 0x01, 0x01, 0x00, 0x00, 0x04, 0x01, 0x02, 0x00, 0x00], [1, 2]),
        ] as [([UInt8], [UInt8])]
    )
    func readsOctetStrings(bytes: [UInt8], octets: [UInt8]) throws {
        var reader = ASN1Reader(bytes.indices)
        let element = try reader.next(in: bytes.span)
        #expect(Array(try element.octets(in: bytes.span).slice(of: bytes)) == octets)
        #expect(reader.isAtEnd)
        for length in 0..<bytes.count {
            // Cut off, and a part of more.
            let cut = Array(bytes.prefix(length))
            var reader = ASN1Reader(cut.indices)
            #expect(throws: ASN1Reader.Fault.self) { try reader.next(in: cut.span) }
            reader = ASN1Reader(0..<length)
            #expect(throws: ASN1Reader.Fault.self) { try reader.next(in: bytes.span) }
        }
    }

    @Test(
        arguments: [
            [0x04], [0x04, 0x01], [0x04, 0x80, 0x00, 0x00], [0x04, 0x85, 0, 0, 0, 0, 0], [0x04, 0xFF],
            [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x1F, 0x81, 0x01, 0x00], [0x00, 0x00], [0x30, 0x80, 0x00],
            [0x30, 0x80, 0x00, 0x01], [0x30, 0x80, 0x04, 0x01, 0x01],
        ] as [[UInt8]]
    )
    func refusesWhatIsNoValue(bytes: [UInt8]) {
        var reader = ASN1Reader(bytes.indices)
        #expect(throws: ASN1Reader.Fault.self) { try reader.next(in: bytes.span) }
    }

    @Test(
        arguments: [
            ([0x02, 0x01, 0x00], 0), ([0x02, 0x01, 0xFF], -1), ([0x02, 0x02, 0x00, 0x80], 128),
            ([0x02, 0x07, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01], 9_007_199_254_740_993),
            ([0x02, 0x08, 0x80, 0, 0, 0, 0, 0, 0, 0], .min),
        ] as [([UInt8], Int64)]
    )
    func readsIntegers(bytes: [UInt8], number: Int64) throws {
        var reader = ASN1Reader(bytes.indices)
        #expect(try reader.integer(in: bytes.span) == number)
    }

    @Test(
        arguments: [
            [0x02, 0x00], [0x02, 0x09, 0, 1, 2, 3, 4, 5, 6, 7, 8], [0x04, 0x01, 0x00],
        ] as [[UInt8]]
    )
    func refusesOtherIntegers(bytes: [UInt8]) throws {
        var reader = ASN1Reader(bytes.indices)
        let element = try reader.next(in: bytes.span)
        #expect(throws: ASN1Reader.Fault.self) { try element.integer(in: bytes.span) }
    }

    @Test func readsTexts() throws {
        let bytes: [UInt8] = [
            0x0C, 0x03, 0xE6, 0xB5, 0x8B, 0x16, 0x01, 0x41, 0x0C, 0x01, 0xFF, 0x16, 0x01, 0x80,
        ]
        var reader = ASN1Reader(bytes.indices)
        #expect(try reader.next(in: bytes.span).text(in: bytes.span) == "测")
        #expect(try reader.next(in: bytes.span).text(in: bytes.span) == "A")
        for _ in 0..<2 {
            let element = try reader.next(in: bytes.span)
            #expect(throws: ASN1Reader.Fault.self) { try element.text(in: bytes.span) }
        }
        #expect(reader.isAtEnd)
    }

    @Test func limitsNesting() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeatElement([0x30, 0x80], count: depth).joined())
                + Array(repeatElement([0, 0], count: depth).joined())
        }
        let bytes = nested(ASN1Reader.depthLimit)
        var reader = ASN1Reader(bytes.indices)
        #expect(throws: Never.self) { try reader.next(in: bytes.span) }
        let deeper = nested(ASN1Reader.depthLimit + 1)
        reader = ASN1Reader(deeper.indices)
        #expect(throws: ASN1Reader.Fault.self) { try reader.next(in: deeper.span) }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func neverReadsBeyondItsBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 200).map { $0 & 0x3F | (Bool.random(using: &random) ? 0x80 : 0) }
        var reader = ASN1Reader(bytes.indices)
        while !reader.isAtEnd, let element = try? reader.next(in: bytes.span) {
            #expect(bytes.indices.contains(element.content) && element.content.count < bytes.count)
            _ = try? element.octets(in: bytes.span)
            _ = try? element.integer(in: bytes.span)
        }
    }
}
