import Foundation
import TestMaterial
import Testing

@testable import DeadLetters
@testable import WireFormats

/// Outlines and trees are held to what a second reader makes of the same texts.
@Suite struct JSONReadingTests {
    static func outline(_ text: String) throws -> JSONOutline {
        try #require(JSONOutline(Array(text.utf8)))
    }

    /// Reads a text in every way.
    private static func compare(_ text: [UInt8]) throws {
        for takesHalfPairs in [true, false] {
            let expected = self.result { () throws(JSONTree.Fault) in
                try ReferenceJSON.document(text, takesHalfPairs: takesHalfPairs)
            }
            let read = self.result { () throws(JSONTree.Fault) in
                try JSONTree.document(text, takesHalfPairs: takesHalfPairs)
            }
            #expect(read == expected, "\(text.prefix(200))")
        }
        let reference = try? ReferenceJSON.document(text, takesHalfPairs: true).tree
        guard reference != nil || text.count < 100_000 else { return }
        let outline = JSONOutline(text)
        #expect((outline == nil) == (reference == nil), "\(text.prefix(200))")
        if let outline { #expect(try Self.tree(outline) == reference) }
    }

    /// The tree and the places of its members, or the fault, as one text.
    private static func result(
        _ read: () throws(JSONTree.Fault) -> JSONTree.Document
    ) -> String {
        do throws(JSONTree.Fault) {
            let document = try read()
            return String(decoding: document.tree.compact, as: UTF8.self) + " \(document.members)"
        } catch {
            return "\(error.line):\(error.column) \(error.sentence)"
        }
    }

    /// The document, by asking for one part after the other.
    static func tree(_ outline: JSONOutline, _ index: Int = 0) throws -> JSONTree {
        switch outline.kind(index) {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number: return .number(String(decoding: outline.bytes(index), as: UTF8.self))
        case .string: return .string(try #require(outline.string(index)))
        case .array:
            var elements: [JSONTree] = []
            var element = index + 1
            while element < outline.index(after: index) {
                elements.append(try Self.tree(outline, element))
                element = outline.index(after: element)
            }
            return .array(elements)
        case .object:
            var members: [(Int, Int)] = []
            outline.members(of: index) { members.append(($0, $1)) }
            return .object(
                try members.map { .init(try #require(outline.string($0)), try Self.tree(outline, $1)) }
            )
        }
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1.50", "1E+400", "18446744073709551616", #""""#, #""a""#,
        #"{}"#, "[]",
        #"[ ]"#, "{ }", #" { "a" : [ 1 , { "b" : null } , [ ] ] , "a" : "x" } "#,
        #""\u00e9\ud83d\ude00\n\/\"\\\b\f\r\t""#,
        #""\ud83d""#, #""\ud83d\u0041""#, #""\ude00x""#, #""\ud83d\ud83d\ude00""#, #"{"\u0061":1}"#, #""é😀""#,
    ])
    func readsWhatATreeReads(text: String) throws {
        #expect(try Self.tree(Self.outline(text)) == JSONTree(parsing: Array(text.utf8)))
        try Self.compare(Array(text.utf8))
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func holdsOfAnyDocument(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tree = JSONTreeTests.anyTree(&random, depth: 0)
        let compact = try #require(JSONOutline(tree.compact))
        #expect(try Self.tree(compact) == tree)
        let indented = try #require(JSONOutline(Array(tree.lines().joined(separator: "\n").utf8)))
        #expect(compact.canonical == indented.canonical)
        #expect(try #require(JSONOutline(compact.canonical)).canonical == compact.canonical)
        for length in 0..<tree.compact.count {
            let cut = Array(tree.compact.prefix(length))
            try Self.compare(cut)
        }
    }

    /// Both readers judge alike of a document, whatever is changed in it.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func judgesAsTheSecondReaderDoes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = JSONTreeTests.anyTree(&random, depth: 0).compact
        let marks = Array("\"\\{}[],:0-.eEtfnu ".utf8) + [0xC3, 0xFF, 0x00]
        for _ in 0..<3 where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &random)] = marks.randomElement(using: &random) ?? 0
        }
        try Self.compare(bytes)
    }

    @Test(arguments: [
        "", "[1,", "{\"a\"", "{\"a\":", "{\"a\":1", "[1 2]", "{1:2}", "tru", "-", "1.", "1e+", "\"a",
        "\"\n\"",
        "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\ud83d\"", "\"\\ud83d\\u00\"", "\"\\ud83d\\u0041\"",
        "\"\\ud83d\\n\"", "\"\\ude00\"", "\"\\ud83d\\ude00\"", "{} x", "\u{FEFF}[]", "\u{FEFF}",
        String(repeating: "[", count: 65), String(repeating: "[1,", count: 66),
        "[" + String(repeating: "0,", count: JSONTree.valuesLimit) + "0]",
    ])
    func saysTheSameAboutAFault(text: String) throws {
        try Self.compare(Array(text.utf8))
    }
}
