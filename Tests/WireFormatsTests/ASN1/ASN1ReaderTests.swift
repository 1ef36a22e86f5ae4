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
        var reader = ASN1Reader(bytes[...])
        let element = try reader.next()
        #expect(Array(try element.octets()) == octets)
        #expect(reader.isAtEnd)
        for length in 0..<bytes.count {
            var reader = ASN1Reader(bytes.prefix(length))
            #expect(throws: ASN1Reader.Fault.self) { try reader.next() }
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
        var reader = ASN1Reader(bytes[...])
        #expect(throws: ASN1Reader.Fault.self) { try reader.next() }
    }

    @Test(
        arguments: [
            ([0x02, 0x01, 0x00], 0), ([0x02, 0x01, 0xFF], -1), ([0x02, 0x02, 0x00, 0x80], 128),
            ([0x02, 0x07, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01], 9_007_199_254_740_993),
            ([0x02, 0x08, 0x80, 0, 0, 0, 0, 0, 0, 0], .min),
        ] as [([UInt8], Int64)]
    )
    func readsIntegers(bytes: [UInt8], number: Int64) throws {
        var reader = ASN1Reader(bytes[...])
        #expect(try reader.next().integer() == number)
    }

    @Test(
        arguments: [
            [0x02, 0x00], [0x02, 0x09, 0, 1, 2, 3, 4, 5, 6, 7, 8], [0x04, 0x01, 0x00],
        ] as [[UInt8]]
    )
    func refusesOtherIntegers(bytes: [UInt8]) throws {
        var reader = ASN1Reader(bytes[...])
        let element = try reader.next()
        #expect(throws: ASN1Reader.Fault.self) { try element.integer() }
    }

    @Test func readsTexts() throws {
        var reader = ASN1Reader([
            0x0C, 0x03, 0xE6, 0xB5, 0x8B, 0x16, 0x01, 0x41, 0x0C, 0x01, 0xFF, 0x16, 0x01, 0x80,
        ])
        #expect(try reader.next().text() == "测")
        #expect(try reader.next().text() == "A")
        for _ in 0..<2 {
            let element = try reader.next()
            #expect(throws: ASN1Reader.Fault.self) { try element.text() }
        }
        #expect(reader.isAtEnd)
    }

    @Test func limitsNesting() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeatElement([0x30, 0x80], count: depth).joined())
                + Array(repeatElement([0, 0], count: depth).joined())
        }
        var reader = ASN1Reader(nested(ASN1Reader.depthLimit)[...])
        #expect(throws: Never.self) { try reader.next() }
        var deeper = ASN1Reader(nested(ASN1Reader.depthLimit + 1)[...])
        #expect(throws: ASN1Reader.Fault.self) { try deeper.next() }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func neverReadsBeyondItsBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 200).map { $0 & 0x3F | (Bool.random(using: &random) ? 0x80 : 0) }
        var reader = ASN1Reader(bytes[...])
        while !reader.isAtEnd, let element = try? reader.next() {
            #expect(element.content.count < bytes.count)
            _ = try? element.octets()
            _ = try? element.integer()
        }
    }
}
