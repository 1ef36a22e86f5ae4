import Foundation
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

/// The quick readers say nothing, or what the general decoder says.
@Suite struct PushEventFieldsTests {
    typealias Message = PushEventDraft.Message

    static func message(_ random: inout SeededGenerator) -> Message {
        func text() -> String {
            let texts = ["", "a", "é😀", "\"\\\n\u{0}", #"{"mid":"m"}"#, String(repeating: "x", count: 300)]
            return texts.randomElement(using: &random) ?? ""
        }
        func number() -> Int64 {
            [0, 1, -1, .min, .max, 1_795_248_000_000].randomElement(using: &random) ?? 0
        }
        var message = Message()
        (message.type, message.provider, message.messageID) = (text(), text(), text())
        (message.campaignID, message.appBundle, message.deviceID) = (text(), text(), text())
        (message.eventID, message.environment, message.status) = (text(), text(), text())
        (message.reason, message.payload, message.payloadSha256) = (text(), text(), text())
        if Bool.random(using: &random) { message.sentMs = number() }
        if Bool.random(using: &random) { message.deviceMs = number() }
        if Bool.random(using: &random) { message.uploadMs = number() }
        if Bool.random(using: &random) { message.serverMs = number() }
        if Bool.random(using: &random) { message.nseEligible = .random(using: &random) }
        return message
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func readsAnyProtobuf(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let message = Self.message(&random)
        let bytes: [UInt8] = try message.serializedBytes()
        #expect(PushEventFields(protobuf: bytes, from: 0) == PushEventFields(message))
        #expect(PushEventFields(protobuf: [7, 7] + bytes, from: 2) == PushEventFields(message))
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func readsAnyJSONOrLeavesIt(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let message = Self.message(&random)
        let bytes: [UInt8] = try message.jsonUTF8Bytes()
        let fields = PushEventFields(json: try #require(JSONOutline(bytes)))
        #expect(fields == nil || fields == PushEventFields(message))
        let plain = PushEventDraft { $0.payload = #"{"a":"é"}"# }
        let json = try #require(JSONOutline(try plain.json))
        #expect(PushEventFields(json: json) == PushEventFields(plain.message))
    }

    /// Bytes changed, cut off, put in twice: what the quick reader takes, the general one reads the same.
    @Test(arguments: 0..<1_000 as Range<UInt64>)
    func readsNothingElseInProtobuf(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = try Self.message(&random).serializedBytes()
        if Bool.random(using: &random) { bytes += try Self.message(&random).serializedBytes() as [UInt8] }
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
        }
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count * 2, using: &random)))
        guard let fields = PushEventFields(protobuf: bytes, from: 0) else { return }
        let message = try? Message(serializedBytes: bytes)
        #expect(message.map { PushEventFields($0) } == fields)
    }

    @Test(arguments: 0..<1_000 as Range<UInt64>)
    func readsNothingElseInJSON(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let draft = PushEventDraft { $0.nseEligible = true }
        var bytes = try draft.json
        let marks = Array("\"\\{}[],:0-.eEtfnu _".utf8) + [0xC3, 0xFF, 0x00]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] = marks.randomElement(using: &random) ?? 0
        }
        guard let outline = JSONOutline(bytes), let fields = PushEventFields(json: outline) else { return }
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        let message = try? Message(jsonUTF8Bytes: bytes, options: options)
        #expect(message.map { PushEventFields($0) } == fields, "\(String(decoding: bytes, as: UTF8.self))")
    }

    /// Events as people write them by hand, or their tools for them.
    @Test(arguments: [
        #"{}"#, #"{"type":null,"sentMs":null,"nseEligible":null,"payload":null}"#,
        #"{"sentMs":0,"deviceMs":"0","uploadMs":9223372036854775807,"serverMs":"9223372036854775807"}"#,
        #"{"message_id":"a","messageId":"b"}"#, #"{"messageId":"a","message_id":null}"#,
        #"{"type":"a","type":"b"}"#,
        #"{"sentMs":1,"sentMs":null}"#, #"{"payload":"{\"a\":\"\u00e9\\n\\ud83d\\ude00\"}"}"#,
        #"{"x":"y","y":1.5e3,"z":null,"t":true,"type":"a"}"#,
    ])
    func readsTheseItself(text: String) throws {
        let outline = try #require(JSONOutline(Array(text.utf8)))
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        let message = try Message(jsonUTF8Bytes: Array(text.utf8), options: options)
        #expect(PushEventFields(json: outline) == PushEventFields(message))
    }

    @Test(arguments: [
        "[]", #"{"ty\u0070e":"a"}"#, #"{"type":"\u0041"}"#, #"{"sentMs":-1}"#, #"{"sentMs":1e3}"#,
        #"{"sentMs":"01"}"#,
        #"{"sentMs":"1.0"}"#, #"{"sentMs":""}"#, #"{"sentMs":true}"#, #"{"nseEligible":"true"}"#,
        #"{"type":7}"#,
        #"{"type":[]}"#, #"{"x":{}}"#, #"{"x":[]}"#, #"{"payload":"\ud83d"}"#,
    ])
    func leavesTheseToTheGeneralDecoder(text: String) throws {
        #expect(PushEventFields(json: try #require(JSONOutline(Array(text.utf8)))) == nil)
    }

    /// Another wire type, a group, an unknown field, a number of eleven bytes: rare, and right or wrong.
    @Test(
        arguments: [
            [0x08, 0x01], [0x0B, 0x0C], [0x90, 0x03, 0x01],
            [0x58] + [UInt8](repeating: 0x80, count: 10) + [0x00],
            [0x58, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], [0x00, 0x00], [0x0A],
            [0x0A, 0x01],
            [0x0A, 0x02, 0xC3, 0x28], [0x58], [0x58, 0x80],
        ] as [[UInt8]]
    )
    func leavesTheseBytesToTheGeneralDecoder(bytes: [UInt8]) {
        #expect(PushEventFields(protobuf: bytes, from: 0) == nil)
    }

    @Test func readsTheLargestNumbers() {
        let minusOne: [UInt8] = [0x58] + [UInt8](repeating: 0xFF, count: 9) + [0x01]
        #expect(PushEventFields(protobuf: minusOne, from: 0)?.sentMS == -1)
        #expect(PushEventFields(protobuf: [0x78, 0x80, 0x01], from: 0)?.isEligible == true)
        #expect(PushEventFields(protobuf: [0x58, 0x80, 0x80, 0x00], from: 0)?.sentMS == 0)
    }
}
