import Foundation
import TestMaterial
import Testing

@testable import WireFormats

@Suite struct TextTests {
    // MARK: Base64 and percent-encoding

    @Test(arguments: 0..<100 as Range<UInt64>)
    func base64AgreesWithFoundation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 100)
        let text = Base64.encode(bytes)
        #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
        #expect(Base64.decode(text) == bytes)
    }

    @Test(arguments: [
        "A", "AA", "AAA", "AA=", "A===", "====", "AA=A", "AB==", "AAB=", "AA-_", "AA A", "AAAA\n",
    ])
    func refusesWhatIsNotBase64(text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func readsBase64ForURLs(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 100)
        let text = Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(Base64URL.decode(text.utf8) == bytes)
    }

    @Test(arguments: ["A", "AA==", "AAA=", "AB", "AAB", "AAAAA", "AA+/", "AA A", "AAAA\n", "AA\u{80}"])
    func refusesWhatIsNotBase64ForURLs(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test(arguments: [("a%2Bb%2f%3D", "a+b/="), ("%", "%"), ("%2", "%2"), ("%zz%25", "%zz%"), ("", "")])
    func undoesPercentEncoding(text: String, expected: String) {
        #expect(PercentEncoding.decode(Array(text.utf8)[...]) == Array(expected.utf8))
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func escapingIsUndone(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 100)
        let text = PercentEncoding.encode(bytes)
        #expect(Self.unescape(text) == bytes)
        #expect(PercentEncoding.decode(text[...]) == bytes)
        #expect(text.allSatisfy { $0.isVisible && !Array("+/=&?:*!'()~ ".utf8).contains($0) })
    }

    @Test func escapesAllButTheFew() {
        let kept = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
        #expect(PercentEncoding.encode(Array(kept.utf8)) == Array(kept.utf8))
        for byte in UInt8.min...UInt8.max where !kept.utf8.contains(byte) {
            let expected = String(format: "%%%02X", Int(byte))
            #expect(String(decoding: PercentEncoding.encode([byte]), as: UTF8.self) == expected)
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func maskingTwiceGivesTheBytesBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 200)
        let key = String(
            (0..<Int.random(in: 1...40, using: &random)).map { _ in
                "abcdef0123456789".randomElement(using: &random) ?? "a"
            }
        )
        let report = ConversionReport(
            for: GDTAccount(appID: 1, advertiserID: 1),
            keys: try GDTKeys(signKey: "s", encryptKey: key)
        )
        let v = String(decoding: report.v(of: bytes), as: UTF8.self)
        let masked = Array(try #require(Data(base64Encoded: v)))
        let unmasked = masked.enumerated().map { $1 ^ Array(key.utf8)[$0 % key.utf8.count] }
        #expect(unmasked == bytes)
    }

    private static func unescape(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    // MARK: Times

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_248_000_000, "2026-11-21T08:00:00Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
        ] as [(Int64, String)]
    )
    func writesAndReadsTimes(milliseconds: Int64, text: String) {
        #expect(RFC3339.string(milliseconds) == text)
        #expect(RFC3339.milliseconds(text) == milliseconds)
    }

    @Test func movesTimesIntoTheRange() {
        #expect(RFC3339.string(.max) == "9999-12-31T23:59:59.999Z")
        #expect(RFC3339.string(.min) == "0001-01-01T00:00:00Z")
    }

    @Test(
        arguments: [
            ("2026-11-21T16:00:00+08:00", 1_795_248_000_000), ("2026-11-21t08:00:00.5z", 1_795_248_000_500),
            ("2026-11-21T08:00:00.123456789Z", 1_795_248_000_123),
            ("2026-11-21T07:59:60Z", 1_795_248_000_000),
        ] as [(String, Int64)]
    )
    func readsOtherSpellings(text: String, milliseconds: Int64) {
        #expect(RFC3339.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T08:00:00", "2026-11-21 08:00:00Z", "2026-02-29T08:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:00:61Z", "2026-11-21T08:00:00.Z",
        "2026-11-21T08:00:00+0800", "2026-11-21T08:00:00+24:00", "0000-01-01T00:00:00Z",
        "2026-11-21T08:00:00ZZ",
        "+026-11-21T08:00:00Z", "0001-01-01T00:00:00+00:01", "２026-11-21T08:00:00Z",
    ])
    func refusesWhatIsNoTime(text: String) {
        #expect(RFC3339.milliseconds(text) == nil)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func timesSurviveTheRoundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let time = Int64.random(in: RFC3339.range, using: &random)
        #expect(RFC3339.milliseconds(RFC3339.string(time)) == time)
        // Foundation counts by the Julian calendar before 1582.
        guard time > -12_219_292_800_000 else { return }
        let seconds = RFC3339.string(time / 1_000 * 1_000)
        #expect((try? Date(seconds, strategy: .iso8601))?.timeIntervalSince1970 == Double(time / 1_000))
    }

    static let november1994: Int64 = 784_111_777_000

    @Test(
        arguments: [
            ("120", 120), ("0", 0), (" 7 ", 7), ("-5", 0), ("86401", 86_400),
            ("99999999999999999999", 86_400),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 60), ("Sunday, 06-Nov-94 08:49:37 GMT", 60),
            ("Sun Nov  6 08:49:37 1994", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("Sun, 06 Nov 2094 08:49:37 GMT", 86_400),
            ("", nil), ("soon", nil), ("1.5", nil), ("1e3", nil), ("+5", nil), ("--5", nil), ("-", nil),
            ("Sun, 31 Feb 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
            ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", nil),
        ] as [(String, Int?)]
    )
    func readsRetryAfter(header: String, seconds: Int?) {
        let delay = RetryAfter.delay(header, now: Self.november1994 - 60_000)
        #expect(delay == seconds.map { .seconds($0) })
    }

    // MARK: Addresses

    @Test(arguments: [
        "0.0.0.0", "255.255.255.255", "10.11.12.13", "::", "::1", "1::", "2001:db8::7", "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "::ffff:10.11.12.13", "1:2:3:4:5:6:1.2.3.4", "ABCD::ef01",
        "fe80::204:61ff:254.157.241.86",
    ])
    func takesAddresses(text: String) {
        #expect(IPAddress.isValid(text))
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.04", "1.2.3.", ".1.2.3", "1..2.3",
        "1.2.3.4 ",
        "a.b.c.d", "0x1.2.3.4", "1.2.3.-4", "999999999999999999999.1.1.1", ":", ":::", "1:", ":1", "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "12345::", "::g", "fe80::1%eth0", "[::1]",
        "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4", "1:::2", "::1.2.3.4:5",
    ])
    func refusesWhatIsNoAddress(text: String) {
        #expect(!IPAddress.isValid(text))
    }

    // MARK: Base URLs

    @Test(arguments: [
        ("http://t.gdt.qq.com", "http://t.gdt.qq.com"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("HTTPS://host/path//", "HTTPS://host/path"), ("http://[::1]:80", "http://[::1]:80"),
    ])
    func takesBaseURLs(text: String, expected: String) throws {
        #expect(try BaseURL(text).text == expected)
    }

    @Test(arguments: [
        "", "t.gdt.qq.com", "ftp://host", "http://", "http:///", "http://:80", "http://a b", "http://a?b",
        "http://a#b", "http://u:p@a", "http://é",
    ])
    func refusesWhatIsNoBaseURL(text: String) {
        #expect(throws: BaseURL.Fault.self) { try BaseURL(text) }
    }

    // MARK: ASCII

    /// Eight bytes are looked at in one step, and those beside the range do not count.
    @Test(arguments: 0..<30)
    func findsAByteAboveASCIIAtEachPlace(length: Int) {
        for start in 0..<12 {
            let range = start..<start + length
            var bytes = [UInt8](repeating: 0xFF, count: start + length + 9)
            for place in range { bytes[place] = 0x7F }
            let isASCII = bytes.span.isASCII(in: range)
            #expect(isASCII)
            for place in range {
                bytes[place] = 0x80
                let isStillASCII = bytes.span.isASCII(in: range)
                #expect(!isStillASCII)
                bytes[place] = 0x7F
            }
        }
    }

    /// Texts of all lengths around eight bytes, with whole and broken characters at every place, as the standard
    /// library decides about them.
    @Test func utf8IsFoundWhereverACharacterStands() {
        let pieces: [[UInt8]] = [
            Array("é".utf8), Array("中".utf8), Array("😀".utf8), Array("中文".utf8), [0x80], [0xC3],
            [0xE4, 0xB8],
            [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [],
        ]
        for before in 0...17 {
            for after in 0...17 {
                for piece in pieces {
                    let start = [UInt8](repeating: 0x61, count: before) + piece
                    let text = start + [UInt8](repeating: 0x62, count: after)
                    for text in [text, text + piece] {
                        let isUTF8 = text.span.isUTF8()
                        #expect(isUTF8 == (String(validating: text, as: UTF8.self) != nil), "\(text)")
                    }
                }
            }
        }
    }

    @Test func bytesOfAnyLengthAreEqualOnlyIfAllAre() {
        func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.span.isEqual(to: other.span) }
        for count in 0...25 {
            let bytes = (0..<count).map { UInt8($0) }
            #expect(isEqual(bytes, bytes) && !isEqual(bytes, bytes + [0]) && !isEqual(bytes + [0], bytes))
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 0x40
                #expect(!isEqual(bytes, other), "\(count), \(index)")
            }
        }
    }
}
