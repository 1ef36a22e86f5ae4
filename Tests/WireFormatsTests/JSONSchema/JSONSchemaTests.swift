import TestMaterial
import Testing

/// The checker itself: it can say no, by every keyword.
@Suite struct JSONSchemaTests {
    @Test(arguments: [
        (#"{"type":"string"}"#, #""a""#, "1"), (#"{"type":"integer"}"#, "3.0", "3.5"),
        (#"{"type":"object"}"#, "{}", "[]"), (#"{"enum":["a",null]}"#, "null", #""b""#),
        (#"{"const":"a"}"#, #""a""#, #""A""#), (#"{"required":["a"]}"#, #"{"a":null}"#, #"{"b":1}"#),
        (#"{"properties":{"a":{"type":"string"}}}"#, #"{"b":1}"#, #"{"a":1}"#),
        (#"{"pattern":"^[a-z]+$"}"#, #""ab""#, #""ab\n""#), (#"{"minLength":2}"#, #""é😀""#, #""😀""#),
        (#"{"maxLength":1}"#, #""😀""#, #""ab""#), (#"{"minimum":-1}"#, "-1", "-1.5"),
        (#"{"maximum":18446744073709551615}"#, "18446744073709551615", "18446744073709551616"),
        (#"{"format":"ipv4"}"#, #""10.0.0.1""#, #""10.0.0""#),
        (#"{"format":"ipv6"}"#, #""::1""#, #""1.2.3.4""#),
        (#"{"format":"date-time"}"#, #""2026-11-21T08:00:00.5+08:00""#, #""2026-13-21T08:00:00Z""#),
        (#"{"format":"date-time"}"#, #""2026-11-21t08:00:00z""#, #""2026-11-21T08:00:00""#),
        (#"{"not":{"type":"string"}}"#, "1", #""a""#),
        (#"{"oneOf":[{"minimum":1},{"maximum":5}]}"#, "7", "3"),
        (#"{"anyOf":[{"minimum":5},{"maximum":1}]}"#, "7", "3"),
        (#"{"if":{"required":["a"]},"then":{"required":["b"]}}"#, #"{"a":1,"b":1}"#, #"{"a":1}"#),
        (#"{"if":{"required":["a"]},"else":{"required":["b"]}}"#, #"{"a":1}"#, "{}"),
        (##"{"$ref":"#/$defs/x","$defs":{"x":{"const":1}}}"##, "1", "2"),
        (#"{"type":["string","null"]}"#, "null", "1"),
        (#"{"minItems":1}"#, "[0]", "[]"),
        (
            #"{"properties":{"a":{}},"additionalProperties":{"type":"string"}}"#, #"{"a":1,"b":"c"}"#,
            #"{"b":1}"#
        ),
    ])
    func tellsRightFromWrong(schema: String, right: String, wrong: String) throws {
        let schema = try JSONSchema(Array(schema.utf8))
        #expect(try schema.objections(to: Array(right.utf8)) == [])
        #expect(try schema.objections(to: Array(wrong.utf8)).count == 1)
    }

    @Test func aSchemaWithinADocumentCanBeClosed() throws {
        let document = Array(
            ##"{"a/b":{"properties":{"c":{"$ref":"#/d"}}},"d":{"properties":{"e":{}}}}"##.utf8
        )
        let schema = try JSONSchema(document, at: "#/a~1b", isClosed: true)
        #expect(try schema.objections(to: Array(#"{"c":{"e":1}}"#.utf8)) == [])
        #expect(
            try schema.objections(to: Array(#"{"c":{"f":1},"g":2}"#.utf8)) == [
                "#/c/f: is not described", "#/g: is not described",
            ]
        )
        #expect(throws: JSONSchema.Fault.self) { try JSONSchema(document, at: "#/a") }
    }

    @Test(arguments: [
        #"{"maxItems":1}"#, #"{"properties":{"a":{"typo":1}}}"#, #"{"not":{"additionalProperties":false}}"#,
        #"{"oneOf":[{"x":1}]}"#, #"{"$defs":{"a":{"x":1}}}"#, "true",
    ])
    func refusesAKeywordThatItDoesNotKnow(schema: String) {
        #expect(throws: JSONSchema.Fault.self) { try JSONSchema(Array(schema.utf8)) }
    }

    @Test(arguments: [
        #"{"type":1}"#, #"{"pattern":"a"}"#, #"{"pattern":"^($"}"#, #"{"format":"uuid"}"#,
        ##"{"$ref":"#/$defs/x"}"##, #"{"minLength":"1"}"#,
    ])
    func refusesAnArgumentThatMakesNoSense(schema: String) throws {
        let schema = try JSONSchema(Array(schema.utf8))
        #expect(throws: JSONSchema.Fault.self) { try schema.objections(to: Array(#""a""#.utf8)) }
    }
}
