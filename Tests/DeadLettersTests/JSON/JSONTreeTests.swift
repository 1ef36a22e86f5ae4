import Foundation
import TestMaterial
import Testing
import WireFormats

@testable import DeadLetters

@Suite struct JSONTreeTests {
    static func tree(_ text: String) throws -> JSONTree { try JSONTree(parsing: Array(text.utf8)) }

    @Test func keepsOrderDoublesAndDigits() throws {
        let text =
            #"{"z":1.50,"a":[18446744073709551616,-0,1E+400],"z":null,"s":"é😀","t":true,"f":false,"e":{},"l":[]}"#
        let tree = try Self.tree(text)
        #expect(String(decoding: tree.compact, as: UTF8.self) == text)
        #expect(tree.member("z") == .null)
        #expect(
            tree.member("a") == .array([.number("18446744073709551616"), .number("-0"), .number("1E+400")])
        )
        #expect(tree.member("none") == nil)
    }

    @Test(arguments: [
        (#""\u00e9\ud83d\ude00\n\/\"""#, "é😀\n/\""), (#""\ud83d""#, "\u{FFFD}"),
        (#""\ud83d\u0041""#, "\u{FFFD}A"),
        (#""\ude00x""#, "\u{FFFD}x"), (#""\b\f\r\t\\""#, "\u{8}\u{c}\r\t\\"),
    ])
    func readsEscapes(text: String, string: String) throws {
        #expect(try Self.tree(text) == .string(string))
    }

    @Test(arguments: [
        ("", 1, 1), ("{", 1, 2), ("{\"a\"}", 1, 5), ("{\"a\":}", 1, 6), ("{\"a\":1,}", 1, 8), ("[1 2]", 1, 4),
        ("[1,]", 1, 4), ("tru", 1, 1), ("{\n  \"é\": 01\n}", 2, 9), ("\"a", 1, 1), ("\"a\n\"", 1, 3),
        ("1.", 1, 3),
        ("1e", 1, 3), ("-", 1, 1), ("\"\\x\"", 1, 3), ("\"\\u12\"", 1, 4), ("{} x", 1, 4), ("{'a':1}", 1, 2),
        ("a", 1, 1),
        ("NaN", 1, 1), ("[\n[\n}", 3, 1), (String(repeating: "[", count: 65), 1, 65),
    ])
    func saysWhereItIsWrong(text: String, line: Int, column: Int) {
        let fault = #expect(throws: JSONTree.Fault.self) { try Self.tree(text) }
        #expect((fault?.line, fault?.column) == (line, column), "\(fault?.sentence ?? "")")
        #expect(fault?.sentence.hasSuffix(".") == true)
    }

    @Test func refusesHalfAPairWhereNothingMayBeLost() {
        #expect(throws: JSONTree.Fault.self) { try JSONTree.document(Array(#""\ud83d""#.utf8)) }
        #expect(throws: JSONTree.Fault.self) { try JSONTree.document(Array(#""\ud83d\u0041""#.utf8)) }
        #expect(throws: Never.self) { try JSONTree.document(Array(#""\ud83d\ude00""#.utf8)) }
        #expect(throws: JSONTree.Fault.self) { try JSONTree(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test func isBounded() {
        let many = "[" + String(repeating: "0,", count: JSONTree.valuesLimit) + "0]"
        #expect(throws: JSONTree.Fault.self) { try Self.tree(many) }
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try Self.tree(deep) }
    }

    @Test func readsAMarkOfByteOrder() throws {
        #expect(try JSONTree(parsing: [0xEF, 0xBB, 0xBF] + Array(" 7 ".utf8)) == .number("7"))
    }

    @Test func isWrittenForPeople() throws {
        let tree = try Self.tree(#"{"a":[1,{"b":"x\u001b[2J\u202e\udb40\udc41\"\\"}],"c":{},"d":[]}"#)
        #expect(
            tree.lines() == [
                "{", #"  "a": ["#, "    1,", "    {", #"      "b": "x\u001b[2J\u202e\udb40\udc41\"\\""#,
                "    }", "  ],",
                #"  "c": {},"#, #"  "d": []"#, "}",
            ]
        )
        #expect(try Self.tree(tree.lines().joined(separator: "\n")) == tree)
        #expect(JSONTree.string("abcdef").lines(longestText: 3) == [#""abc… (6 bytes)""#])
        #expect(JSONTree.number("1234567").line(longestText: 3) == "123…")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func isReadAgainAsItWasWritten(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tree = Self.anyTree(&random, depth: 0)
        #expect(try JSONTree(parsing: tree.compact) == tree)
        #expect(try Self.tree(tree.lines().joined(separator: "\n")) == tree)
        #expect(JSONSyntax.isValue(tree.compact))
    }

    static func anyTree(_ random: inout SeededGenerator, depth: Int) -> JSONTree {
        func text() -> String { String(decoding: random.bytes(upTo: 8), as: UTF8.self) }
        switch Int.random(in: 0...(depth < 4 ? 6 : 3), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .number(String(Int.random(in: .min ... .max, using: &random)))
        case 3: return .string(text())
        case 4: return .array((0..<3).map { _ in Self.anyTree(&random, depth: depth + 1) })
        default: return .object((0..<3).map { _ in .init(text(), Self.anyTree(&random, depth: depth + 1)) })
        }
    }
}
