import Foundation
import TestMaterial
import Testing

@testable import WireFormats

/// Held to what JSONTree makes of the same texts, which says why, and keeps everything.
@Suite struct JSONOutlineTests {
    static func outline(_ text: String, depthLimit: Int = 64) throws -> JSONOutline {
        try #require(JSONOutline(Array(text.utf8), depthLimit: depthLimit))
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
    }

    @Test(arguments: [
        "", " ", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "[1 2]", "[1,]", "[,1]", "tru", "truex",
        "01", "1.", "1e", "-", ".5", "+1", "\"a", "\"a\n\"", "\"\u{1F}\"", "\"\u{0}\"", "\"\\x\"",
        "\"\\u12\"", "\"\\u12g4\"", "\"\\",
        "{} x", "{'a':1}",
        "{1:2}", "a", "NaN", "[\n[\n}", "[}", "{]", "{\"a\" 1}", "\u{FEFF}",
    ])
    func refusesWhatATreeRefuses(text: String) {
        #expect(JSONOutline(Array(text.utf8)) == nil)
        #expect(throws: JSONTree.Fault.self) { try JSONTree(parsing: Array(text.utf8)) }
    }

    /// The schema id of a schema registry's frame may be any number.
    @Test func theBytesBeforeItMayBeAnything() throws {
        let outline = try #require(JSONOutline([0, 0, 0, 0x80, 0xFF] + Array(#"{"a":"é"}"#.utf8), from: 5))
        #expect(try Self.tree(outline) == .object([.init("a", .string("é"))]))
        #expect(JSONOutline([0, 0, 0, 0x80, 0xFF], from: 5) == nil)
        #expect(JSONOutline([], from: 5) == nil)
    }

    @Test func refusesWhatIsNoUnicode() {
        #expect(JSONOutline([0x22, 0xFF, 0x22]) == nil)
        #expect(JSONOutline([0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
    }

    @Test func nestsNoDeeperThanItMay() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(JSONOutline(nested(64)) != nil && JSONOutline(nested(65)) == nil)
        #expect(JSONOutline(nested(3), depthLimit: 3) != nil && JSONOutline(nested(4), depthLimit: 3) == nil)
        #expect(JSONOutline(Array(String(repeating: "[", count: 1 << 20).utf8)) == nil)
    }

    @Test func startsWhereItIsTold() throws {
        let outline = try #require(JSONOutline(Array(#"xy{"a":7}"#.utf8), from: 2))
        #expect(outline.member(outline.root, "a").map(outline.range) == 7..<8)
        #expect(JSONOutline([0xEF, 0xBB, 0xBF] + Array(" 7 ".utf8))?.kind(0) == .number)
    }

    @Test func findsMembersByTheBytesOfTheirNames() throws {
        let outline = try Self.outline(#"{"a":1,"\u0062":2,"a":3,"e\u0301":4,"o":{"a":5},"l":["a",6]}"#)
        func text(_ name: String) -> String? {
            outline.member(outline.root, name).map { String(decoding: outline.bytes($0), as: UTF8.self) }
        }
        #expect(text("a") == "3" && text("b") == "2" && text("c") == nil && text("ab") == nil)
        // The same character to Swift, and another name to JSON.
        #expect(text("\u{E9}") == nil && text("e\u{301}") == "4")
        let object = try #require(outline.member(outline.root, "o"))
        #expect(outline.member(object, "a").map(outline.bytes).map(Array.init) == Array("5".utf8))
        let list = try #require(outline.member(outline.root, "l"))
        #expect(outline.member(list, "a") == nil)
    }

    @Test func takesEscapesOut() throws {
        let outline = try Self.outline(#"["\u00e9\ud83d\ude00","\ud83d","\ud83dx","\ude00","a\/","plain"]"#)
        var index = 1
        var texts: [String?] = []
        while index < outline.index(after: 0) {
            texts.append(outline.strictlyUnescaped(index).map { String(decoding: $0, as: UTF8.self) })
            index = outline.index(after: index)
        }
        #expect(texts == ["é😀", nil, nil, nil, "a/", "plain"])
    }

    @Test(arguments: [
        (#" { "b" : 1 , "a" : [ true , null ] } "#, #"{"a":[true,null],"b":1}"#),
        // By their bytes: neither by UTF-16, nor as people sort words.
        (
            "{\"\u{FF5E}\":1,\"😀\":2,\"a\":3,\"B\":4,\"\":5,\"ab\":6}",
            "{\"\":5,\"B\":4,\"a\":3,\"ab\":6,\"\u{FF5E}\":1,\"😀\":2}"
        ),
        (
            #"{"o":{"z":{"y":1,"x":2},"a":[{"d":1,"c":2}]}}"#,
            #"{"o":{"a":[{"c":2,"d":1}],"z":{"x":2,"y":1}}}"#
        ),
        (#"{"a":1,"b":2,"a":3,"\u0061":4}"#, #"{"a":4,"b":2}"#),
        (
            #"[1.50,1E+400,-0,18446744073709551616,29273432613945685]"#,
            #"[1.50,1E+400,-0,18446744073709551616,29273432613945685]"#
        ),
        (
            #"["\u0041\/\u00e9\ud83d\ude00\"\\\b\f\n\r\t\u0000\u001f\u007f\ud83d"]"#,
            "[\"A/é😀\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}\u{FFFD}\"]"
        ),
        ("{}", "{}"), ("[ ]", "[]"), (#""a""#, #""a""#),
    ])
    func hasOneCanonicalForm(text: String, canonical: String) throws {
        #expect(String(decoding: try Self.outline(text).canonical, as: UTF8.self) == canonical)
        #expect(try Self.outline(canonical).canonical == Array(canonical.utf8))
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
            #expect((JSONOutline(cut) == nil) == ((try? JSONTree(parsing: cut)) == nil))
        }
    }

    /// Whatever is changed in a document, both think the same of it.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func judgesAsATreeDoes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = JSONTreeTests.anyTree(&random, depth: 0).compact
        let marks = Array("\"\\{}[],:0-.eEtfnu ".utf8) + [0xC3, 0xFF, 0x00]
        for _ in 0..<3 where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &random)] = marks.randomElement(using: &random) ?? 0
        }
        let tree = try? JSONTree(parsing: bytes)
        let outline = JSONOutline(bytes)
        #expect((outline == nil) == (tree == nil), "\(bytes)")
        if let outline, let tree { #expect(try Self.tree(outline) == tree) }
    }
}
