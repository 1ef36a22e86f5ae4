import Foundation
import TestMaterial
import Testing

@testable import WireFormats

/// `JSONReadingTests` of the dead letters hold outlines and trees to a second reader.
@Suite struct JSONOutlineTests {
    static func outline(_ text: String, depthLimit: Int = 64) throws -> JSONOutline {
        try #require(JSONOutline(Array(text.utf8), depthLimit: depthLimit))
    }

    @Test(arguments: [
        "", " ", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "[1 2]", "[1,]", "[,1]", "tru", "truex",
        "01", "1.", "1e", "-", ".5", "+1", "\"a", "\"a\n\"", "\"\u{1F}\"", "\"\u{0}\"", "\"\\x\"",
        "\"\\u12\"", "\"\\u12g4\"", "\"\\",
        "{} x", "{'a':1}",
        "{1:2}", "a", "NaN", "[\n[\n}", "[}", "{]", "{\"a\" 1}", "\u{FEFF}",
    ])
    func refusesWhatIsNotJSON(text: String) {
        #expect(JSONOutline(Array(text.utf8)) == nil)
        #expect(!JSONSyntax.isValue(Array(text.utf8)))
        #expect(JSONObject(Array(text.utf8)) == nil)
    }

    /// The schema id of a schema registry's frame may be any number.
    @Test func theBytesBeforeItMayBeAnything() throws {
        let outline = try #require(JSONOutline([0, 0, 0, 0x80, 0xFF] + Array(#"{"a":"é"}"#.utf8), from: 5))
        #expect(outline.member(outline.root, "a").flatMap(outline.string) == "é")
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

    /// A value below the deepest level is stepped over, and has to be JSON all the same.
    @Test func stepsOverWhatItDoesNotLookInto() throws {
        let deep = String(repeating: "[", count: 1 << 20) + String(repeating: "]", count: 1 << 20)
        let list = #"[ { "b" : [ ] , "c" : { } } , [ 1 , "\u0041]" ] ,[null]]"#
        let text = "{\"a\":\(deep),\"l\": \(list) ,\"d\":7}"
        #expect(JSONObject(Array(text.utf8)) == nil)
        let object = try #require(JSONObject(Array(text.utf8), depthLimit: 1, skipsDeeper: true))
        #expect(object.value("a")?.count == 2 << 20 && object.integer("d") == 7)
        #expect(object.value("l").map { String(decoding: $0, as: UTF8.self) } == list)
        #expect(object.elementCount("l") == 3 && object.elementCount("a") == 1)
    }

    @Test(arguments: [
        "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "1 2", "1,", ",1", "tru", "01", "\"a", "\"\\x\"",
        "{} x",
        "{1:2}", "[\n[\n}", "[}", "{]", "{\"a\" 1}", "[", "[[[", "]", "{\"a\":1 \"b\":2}", "[1}",
        "{\"a\":[1}]",
    ])
    func checksTheSyntaxOfWhatItStepsOver(text: String) {
        #expect(JSONObject(Array("{\"a\":[[\(text)]]}".utf8), depthLimit: 1, skipsDeeper: true) == nil)
        #expect(JSONObject(Array("{\"a\":[[\(text)".utf8), depthLimit: 1, skipsDeeper: true) == nil)
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
        // The two names are one character to Swift, and two names to JSON.
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
}
