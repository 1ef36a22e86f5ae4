import TestMaterial
import Testing

@testable import WireFormats

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain é 日本 😀", "plain é 日本 😀"), ("a\nb\r\t", #"a\nb\r\t"#), ("\u{1b}[31mred", #"\u{1b}[31mred"#),
        ("\u{0}\u{7}\u{7f}", #"\u{0}\u{7}\u{7f}"#), ("\u{9b}2J", #"\u{9b}2J"#), ("C:\\n", #"C:\\n"#),
        ("a\u{202e}b\u{2066}c", #"a\u{202e}b\u{2066}c"#),
        ("\u{200b}\u{200d}\u{feff}", #"\u{200b}\u{200d}\u{feff}"#),
        ("\u{2028}\u{2029}\u{85}", #"\u{2028}\u{2029}\u{85}"#),
        ("\u{ad}\u{3164}\u{fe0f}", #"\u{ad}\u{3164}\u{fe0f}"#),
        ("\u{e0041}\u{e000}", #"\u{e0041}\u{e000}"#),
        ("\u{061c}\u{200e}\u{2060}", #"\u{61c}\u{200e}\u{2060}"#),
        ("", ""), ("e\u{301}", "e\u{301}"),
    ])
    func writesWhatDoesNotPrintAsAnEscape(text: String, shown: String) {
        #expect(SafeText.line(text) == shown)
        #expect(SafeText.line(of: Array(text.utf8)) == shown)
    }

    @Test(
        arguments: [
            ([0xFF, 0x41], #"\xffA"#), ([0xC3], #"\xc3"#), ([0xC3, 0x28], #"\xc3("#),
            ([0xE2, 0x82], #"\xe2\x82"#),
            ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#), ([0xC0, 0x80], #"\xc0\x80"#),
            ([0xF5, 0x80, 0x80, 0x80], #"\xf5\x80\x80\x80"#),
            ([0x05, 0xE2, 0x82, 0xAC], #"\u{5}€"#),
        ] as [([UInt8], String)]
    )
    func writesBytesThatAreNoText(bytes: [UInt8], shown: String) {
        #expect(SafeText.line(of: bytes) == shown)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcde…"), ("a\n", 2, "a…"), ("a\n", 3, "a\\n"), ("x", 0, "…"),
        ("", 0, ""),
    ])
    func isBounded(text: String, limit: Int, shown: String) {
        #expect(SafeText.line(text, limit: limit) == shown)
        #expect(SafeText.line(of: Array(text.utf8), limit: limit) == shown)
    }

    /// The output is one line of characters that print, whatever the input is.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func isSafe(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 200)
        for line in [SafeText.line(of: bytes), SafeText.line(String(decoding: bytes, as: UTF8.self))] {
            #expect(line.unicodeScalars.allSatisfy { !SafeText.isTreacherous($0) })
        }
    }

    /// The other way round, so that two values that differ never look alike.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func showsDifferentBytesDifferently(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(upTo: 12)
        var other = bytes + [0x41]
        other[0] &+= UInt8.random(in: 1...255, using: &random)
        #expect(SafeText.line(of: bytes) != SafeText.line(of: other))
    }
}
