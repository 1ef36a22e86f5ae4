import Foundation
import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import DeadLetters
@testable import WireFormats

@Suite struct EditingTests {
    typealias Payloads = DeadLetterPayloadTests

    static let valid =
        #"{"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE","#
        + #""deviceId":"41B5F7C7-1111-4A8D-9C1D-000000000001","convertedAt":"2026-11-21T08:00:00Z"}"#

    private static func edit(
        _ value: [UInt8],
        _ contentType: String? = nil,
        schema: DeadLetterSchema? = .activation,
        to text: String
    ) throws -> [UInt8] {
        try DeadLetterPayload(of: Payloads.record(value, contentType), schema: schema).edited(
            json: Array(text.utf8)
        )
    }

    private static func editText(
        _ value: String,
        _ contentType: String? = nil,
        schema: DeadLetterSchema? = .activation,
        to text: String
    ) throws -> String {
        String(
            decoding: try self.edit(Array(value.utf8), contentType, schema: schema, to: text),
            as: UTF8.self
        )
    }

    // MARK: JSON

    /// A payload that leaves the editor untouched is the payload that was there.
    @Test func changesNothingByItself() throws {
        let payload = Payloads.payload(Self.valid, schema: .activation)
        let editable = try #require(payload.editable)
        #expect(editable.last == UInt8(ascii: "\n"))
        #expect(try payload.edited(json: editable) == Array(Self.valid.utf8))
    }

    @Test func takesAMendedValue() throws {
        let mended = Self.valid.replacing("112233", with: "445566")
        #expect(try Self.editText(Self.valid, to: "\n" + mended + "\n") == mended)
        #expect(try Self.editText(#"{"appId":"#, to: mended) == mended)
        #expect(try Self.editText("what?", to: mended) == mended)
        // Names as the schema has them are names too, and so is what the record had before.
        let other = mended.replacing("appId", with: "app_id")
        #expect(try Self.editText(Self.valid, to: other) == other)
        let strange = mended.replacing("{\"", with: "{\"mine\":1,\"")
        #expect(try Self.editText(#"{"mine":2}"#, to: strange) == strange)
    }

    @Test(
        arguments: [
            ("{\n  \"appId\": 1,\n  \"appid\": 2\n}", 3, 3, nil), ("{\"appId\":\"x\"}", 1, 10, nil),
            ("{\"appId\":1,\"appId\":2}", 1, 12, nil), ("{\"convertedAt\":\"soon\"}", 1, 16, nil),
            ("[1]", 1, 1, nil),
            ("{\"appId\":1,}", 1, 12, nil), ("{\"appType\":7}", 1, 12, nil), ("{\"appId\":1.5}", 1, 10, nil),
            ("{\"appId\":1}", nil, nil, "advertiser_id.missing"), ("{}", nil, nil, "app_id.missing"),
            (Self.valid.replacing("IOS", with: "IOT"), nil, nil, "app_type.unknown"),
            ("", 1, 1, nil), ("\"\\ud83d\"", 1, 2, nil),
        ] as [(String, Int?, Int?, String?)]
    )
    func refuses(text: String, line: Int?, column: Int?, code: String?) {
        let fault = #expect(throws: DeadLetterPayload.EditFault.self) {
            try Self.editText(Self.valid, to: text)
        }
        #expect((fault?.line, fault?.column, fault?.code) == (line, column, code), "\(fault?.sentence ?? "")")
        #expect(fault?.sentence.hasSuffix(".") == true)
        #expect(fault?.sentence.contains("112233") == false)
    }

    /// A final no is for the worker to give, and is no fault.
    @Test func takesWhatTheWorkerWillRefuse() throws {
        let zero = Self.valid.replacing(
            "41B5F7C7-1111-4A8D-9C1D-000000000001",
            with: "00000000-0000-0000-0000-000000000000"
        )
        #expect(try Self.editText(Self.valid, to: zero) == zero)
    }

    @Test func hasNothingToEditInBytes() {
        for value in [nil, [], [0xFF, 0xFE], [0x0A, 0x05]] as [[UInt8]?] {
            for schema in [nil, DeadLetterSchema.activation] {
                let payload = DeadLetterPayload(of: Payloads.record(value), schema: schema)
                #expect(payload.editable == nil)
                #expect(throws: DeadLetterPayload.EditFault.self) {
                    try payload.edited(json: Array(Self.valid.utf8))
                }
            }
        }
    }

    // MARK: Wrappings

    @Test(arguments: [[0xEF, 0xBB, 0xBF], [0, 0, 0, 1, 2]] as [[UInt8]])
    func keepsWhatStandsBefore(frame: [UInt8]) throws {
        let mended = Self.valid.replacing("112233", with: "7")
        let edited = try Self.edit(frame + Array(Self.valid.utf8), "application/json", to: mended)
        #expect(edited == frame + Array(mended.utf8))
        let unknown = try Self.edit(
            frame + Array("{\"a\":1}".utf8),
            "application/json",
            schema: nil,
            to: "{\"a\": 2}"
        )
        #expect(unknown == frame + Array("{\"a\":2}".utf8))
    }

    @Test(arguments: [[], [0, 0, 0, 1, 2, 0]] as [[UInt8]])
    func writesProtobufAgain(frame: [UInt8]) throws {
        let unknown: [UInt8] = [0xAA, 0x07, 0x02, 0x68, 0x69]
        let value: [UInt8] = try Payloads.message.serializedBytes() + unknown
        let record = Payloads.record(frame + value, "application/x-protobuf")
        let payload = DeadLetterPayload(of: record, schema: .activation)
        let editable = String(decoding: try #require(payload.editable), as: UTF8.self)
        #expect(!editable.contains("#117"))
        let mended = try payload.edited(json: Array(editable.replacing("112233", with: "445566").utf8))
        #expect(mended.starts(with: frame))
        let message = try Flotilla_Activation_V1_Activation(
            serializedBytes: Array(mended.dropFirst(frame.count))
        )
        #expect(message.appID == 445_566)
        #expect(Array(message.unknownFields.data) == unknown)
        var expected = Payloads.message
        (expected.appID, expected.unknownFields) = (445_566, message.unknownFields)
        #expect(message == expected)
    }

    @Test func writesProtobufWhereTheContentTypeSaysSo() throws {
        let mended = try Self.edit(Array("oh no".utf8), "application/x-protobuf", to: Self.valid)
        #expect(try Flotilla_Activation_V1_Activation(serializedBytes: mended).appID == 112_233)
    }

    @Test func keepsTheEventAround() throws {
        let type = "application/cloudevents+json"
        let mended = Self.valid.replacing("112233", with: "7")
        func event(_ data: String) -> String {
            "{ \"specversion\" : \"1.0\", \"id\":\"e\\u002d1\", \(data) , \"type\":\"t\" }"
        }
        let plain = try Self.editText(event("\"data\": " + Self.valid), type, to: mended)
        #expect(plain == event("\"data\": " + mended))
        let quoted = { (text: String) in String(decoding: JSONTree.string(text).compact, as: UTF8.self) }
        let text = try Self.editText(event("\"data\":" + quoted(Self.valid)), type, to: mended)
        #expect(text == event("\"data\":" + quoted(mended)))
        func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }
        let framed: [UInt8] = [0, 0, 0, 0, 9]
        let binary = try Self.editText(
            event("\"data_base64\":\"\(base64(framed + Array(Self.valid.utf8)))\""),
            type,
            to: mended
        )
        #expect(binary == event("\"data_base64\":\"\(base64(framed + Array(mended.utf8)))\""))
        let other = try Self.editText(event("\"data\":{\"a\":1}"), type, schema: nil, to: "{\"a\":2}")
        #expect(other == event("\"data\":{\"a\":2}"))
    }

    @Test func mendsAnEventThatIsBroken() throws {
        let type = "application/cloudevents+json"
        // Was taken for an event around an event.
        let old = #"{"specversion":"0.3","data":{"a":1}}"#
        #expect(try Self.editText(old, type, schema: nil, to: old) == old)
        #expect(Payloads.payload(old, type).envelope == nil)
        let mended = #"{"specversion":"1.0","data":"# + Self.valid + "}"
        #expect(try Self.editText(#"{"specversion":"1.0","data":"#, type, to: mended + "\n") == mended)
        #expect(throws: DeadLetterPayload.EditFault.self) { try Self.editText("{", type, to: "{}") }
    }

    /// Was sent without the event.
    @Test func keepsTheEventAroundAText() throws {
        let type = "application/cloudevents+json"
        let event = #"{"specversion":"1.0","data":"one"}"#
        #expect(
            try Self.editText(event, type, schema: nil, to: "two\n") == #"{"specversion":"1.0","data":"two"}"#
        )
        let framed: [UInt8] = [0, 0, 0, 0, 7] + Array("one".utf8)
        #expect(
            try Self.edit(framed, "application/json", schema: nil, to: "two") == framed.prefix(5)
                + Array("two".utf8)
        )
    }

    // MARK: Without a schema

    @Test func takesAnyJSONAndAnyText() throws {
        #expect(try Self.editText(#"{"a":1}"#, schema: nil, to: #"{ "b" : 1.50 }"#) == #"{"b":1.50}"#)
        #expect(throws: DeadLetterPayload.EditFault.self) {
            try Self.editText(#"{"a":1}"#, schema: nil, to: "no")
        }
        #expect(try Self.editText("one", schema: nil, to: "two\n") == "two")
        #expect(try Self.editText("one\n", schema: nil, to: "two\n") == "two\n")
        let payload = Payloads.payload("one")
        #expect(payload.editable == Array("one".utf8))
        #expect(throws: DeadLetterPayload.EditFault.self) { try payload.edited(json: [0xFF]) }
    }

    @Test(arguments: DeadLetterSchema.allCases)
    func takesItsOwnExamples(schema: DeadLetterSchema) throws {
        let files = Examples.files(schema.rawValue)
        #expect(!files.isEmpty)
        for file in files {
            let text = try Examples.bytes("examples/\(schema.rawValue)/\(file)")
            let payload = DeadLetterPayload(of: Payloads.record(text), schema: schema)
            #expect(payload.fault == nil)
            #expect(try JSONTree(parsing: payload.edited(json: text)) == payload.tree)
        }
    }

    /// An object in a letter is edited as one, and becomes a text where the letter is protobuf.
    @Test func anEditedPayloadMayBeAnObject() throws {
        let text = Array(#"{"type":"arrived","deviceId":"d","payload":{"_j_msgid":29273432613945685}}"#.utf8)
        let schema = DeadLetterSchema.pushArrival
        let protobuf = try #require(schema.protobuf(ofJSON: text))
        #expect(
            try Flotilla_Pusharrival_V1_PushEvent(serializedBytes: protobuf).payload
                == #"{"_j_msgid":29273432613945685}"#
        )
        let letter = DeadLetterPayload(of: Payloads.record(protobuf), schema: schema)
        let edited = try letter.edited(json: text)
        func event(_ value: [UInt8]) throws -> PushEvent {
            try PushEvent(decoding: Payloads.record(value), now: 1_795_248_010_000)
        }
        #expect(try event(edited) == event(text))
    }
}
