import Foundation
import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

/// The documents of `Schemas` about push arrivals: what they show and promise has to be what is read and written.
@Suite struct PushArrivalExamplesTests {
    typealias Result = Flotilla_Pusharrival_V1_PushArrivalResult

    @Test(arguments: ["push-arrival", "push-arrival.result", "push-arrival.stats"])
    func everyExampleIsValid(name: String) throws {
        let schema = try SchemaTests.schema(name)
        let examples = ExamplesTests.examples(name)
        #expect(examples.count >= 5)
        for example in examples {
            let bytes = try ExamplesTests.bytes("examples/\(name)/\(example)")
            #expect(try schema.objections(to: bytes) == [], "\(example)")
        }
    }

    static func object(_ bytes: [UInt8]) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    @Test(arguments: ExamplesTests.examples("push-arrival"))
    func readsAnEvent(file: String) throws {
        let bytes = try ExamplesTests.bytes("examples/push-arrival/\(file)")
        let event = try PushEventTests.decode(bytes)
        let name = file.replacing(".json", with: "").replacing("-", with: "_")
        #expect(name == event.kind.rawValue || name.hasPrefix("\(event.kind.rawValue)_"))
        guard file != "arrived-with-payload.json" else {
            #expect(event.messageID == "29273432613945685" && event.provider == "jpush")
            #expect(event.isEligible == true)
            return
        }
        let again: [UInt8] = try PushEventDraft.Message(jsonUTF8Bytes: bytes).jsonUTF8Bytes()
        #expect(try Self.object(again) == Self.object(bytes))
    }

    @Test func showsEveryKindOfEvent() throws {
        let kinds = try ExamplesTests.examples("push-arrival").map {
            try PushEventTests.decode(try ExamplesTests.bytes("examples/push-arrival/\($0)")).kind
        }
        #expect(Set(kinds) == Set(PushEvent.Kind.allCases))
    }

    @Test(arguments: ExamplesTests.examples("push-arrival.result"))
    func readsAResult(file: String) throws {
        let bytes = try ExamplesTests.bytes("examples/push-arrival.result/\(file)")
        let result = try Result(jsonUTF8Bytes: bytes)
        #expect(try Self.object(result.jsonUTF8Bytes()) == Self.object(bytes))
        #expect(Outcome.Fate(rawValue: result.outcome.fate) != nil)
        #expect(result.outcome.hasReason == (result.outcome.fate != "succeeded"))
        #expect(result.outcome.hasDeadLetterID == (result.outcome.fate == "dead_lettered"))
        #expect(result.result.isEmpty == (result.outcome.fate != "succeeded"))
        #expect(result.hasCorrectedMs == !result.result.isEmpty)
        if result.hasLagMs { #expect(result.lagMs == result.correctedMs - result.sentMs) }
    }

    @Test func showsEveryStanding() throws {
        let standings = try ExamplesTests.examples("push-arrival.result").map {
            try Result(jsonUTF8Bytes: try ExamplesTests.bytes("examples/push-arrival.result/\($0)")).result
        }
        #expect(Set(standings).subtracting([""]) == Set(PushStanding.allCases.map(\.rawValue)))
    }

    /// Numbers as they are, rates as they follow from the counts, every member there.
    @Test(arguments: ExamplesTests.examples("push-arrival.stats"))
    func readsStatistics(file: String) throws {
        let bytes = try ExamplesTests.bytes("examples/push-arrival.stats/\(file)")
        let record = try PushStatisticsRecordTests.decode(bytes)
        #expect(try Self.object(record.encoded(as: .json)) == Self.object(bytes))
        #expect(record.rejectedReasons.values.reduce(0, +) == record.rejected)
        if case .segment = record.window { return #expect(record.lag == PushStatisticsRecord.Lag()) }
        #expect(record.lag.histogram.reduce(0, +) + record.lag.unknown == record.arrived)
        #expect(record.lag.sketch.total + record.lag.unknown == record.arrived)
    }

    private static let base = [
        "type": "\"arrived\"", "deviceId": "\"d-1\"", "serverMs": "\"1795248000000\"",
    ]

    /// A good event with some members as told, and without those that are nil.
    static func event(_ changes: KeyValuePairs<String, String?>) -> String {
        var members = self.base
        for (name, value) in changes { members[name] = value }
        let text = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return "{\(text.joined(separator: ","))}"
    }

    private static let long = String(repeating: "x", count: 257)

    /// Schema and decoder say the same of a record, whichever way: a backend that checks by the schema is not surprised.
    @Test(
        arguments: [
            ([:], true), (["type": nil], false), (["type": "\"Arrived\""], false), (["type": "7"], false),
            (["deviceId": nil], false), (["deviceId": "\"\""], false), (["deviceId": "7"], false),
            (["deviceId": "\"\(long)\""], false), (["messageId": "\"\(long.dropLast())\""], true),
            (["messageId": "\"\(long)\""], false), (["messageId": "\"a\\nb\""], false),
            (["messageId": "\"a\\u0085b\""], false), (["messageId": "\"日本\""], true),
            (["provider": "\"\\u007f\""], false), (["campaignId": "\"\(long)\""], false),
            (["appBundle": "\"\(long)\""], false),
            (["eventId": "\"\(String(repeating: "e", count: 65))\""], false),
            (["environment": "\"development\""], true), (["environment": "\"\""], true),
            (["environment": "\"sandbox\""], false),
            (["status": "\"other\""], true), (["type": "\"sent\"", "status": "\"other\""], false),
            (["type": "\"sent\"", "status": "\"rejected\"", "reason": "\"\(long)\""], true),
            (["type": "\"sent\"", "status": "\"rejected\"", "reason": "\"a\\nb\""], false),
            (["status": "7"], false), (["sentMs": "1795248000000"], true), (["sentMs": "-1"], true),
            (["deviceMs": "\"-9223372036854775808\""], true), (["deviceMs": "9223372036854775808"], false),
            (["uploadMs": "1.5"], false), (["uploadMs": "\"\""], false), (["serverMs": "true"], false),
            (["nseEligible": "true"], true), (["nseEligible": "1"], false),
            (["nseEligible": "\"true\""], false),
            (["payload": #"{"mid":"m"}"#], true), (["payload": #""{\"mid\":\"m\"}""#], true),
            (["payload": "[]"], false), (["payload": "7"], false),
            (["payload": #"{"google.c.fid":"f"}"#, "deviceId": nil], true),
            (["payload": "\"\(String(repeating: " ", count: 8_193))\""], false),
            (["payloadSha256": "\"\(PushEventTests.digest)\""], true), (["payloadSha256": "\"\""], true),
            (["payloadSha256": "\"abc\""], false), (["another": #"{"a":[1]}"#], true),
        ] as [(KeyValuePairs<String, String?>, Bool)]
    )
    func agreesWithTheDecoder(changes: KeyValuePairs<String, String?>, isRight: Bool) throws {
        let text = Self.event(changes)
        let objections = try SchemaTests.schema("push-arrival").objections(to: Array(text.utf8))
        #expect(objections.isEmpty == isRight, "schema: \(text) \(objections)")
        #expect(((try? PushEventTests.decode(text)) != nil) == isRight, "decoder: \(text)")
    }

    /// Rules that no schema can state: on the inside of a text, or that one member stands for another.
    @Test(
        arguments: [
            ["payload": "\"x\""], ["payload": "{}", "deviceId": nil],
            ["messageId": "\"\(String(repeating: "é", count: 200))\""], ["sentMs": "\"9999999999999999999\""],
        ] as [KeyValuePairs<String, String?>]
    )
    func theDecoderAsksForMore(changes: KeyValuePairs<String, String?>) throws {
        let text = Self.event(changes)
        #expect(try SchemaTests.schema("push-arrival").objections(to: Array(text.utf8)) == [])
        #expect(throws: PushEvent.Fault.self) { try PushEventTests.decode(text) }
    }
}
