import Foundation
import Records
import SwiftProtobuf
import Testing
import WireMessages

@testable import DeadLetters
@testable import WireFormats

/// A mark that a reader of a test can undo.
func mark(_ value: [UInt8]) -> String { "#" + String(decoding: value, as: UTF8.self) }

@Suite struct DeadLetterPayloadTests {
    static func record(_ value: [UInt8]?, _ contentType: String? = nil) -> InboundRecord {
        // A letter always has a timestamp.
        var record = InboundRecord(
            topic: "d",
            partition: 0,
            offset: 0,
            timestamp: 1_795_248_000_000,
            value: value
        )
        if let contentType { record.headers = [RecordHeader("content-type", contentType)] }
        return record
    }

    static func payload(
        _ text: String,
        _ contentType: String? = nil,
        schema: DeadLetterSchema? = nil
    ) -> DeadLetterPayload {
        DeadLetterPayload(of: self.record(Array(text.utf8), contentType), schema: schema)
    }

    static let activation =
        #"{"appId":"112233","advertiserId":10000,"appType":"IOS","conversionType":"MOBILEAPP_COST","#
        + #""deviceId":"41B5F7C7-1111-4A8D-9C1D-000000000001","convertedAt":"2026-11-21T08:00:00Z","#
        + #""clientIp":"10.1.2.3","clickId":"click-1","value":"18446744073709551615","extra":{"mail":"a@b"}}"#

    static let message = Flotilla_Activation_V1_Activation.with {
        ($0.appID, $0.advertiserID, $0.appType) = (112_233, 10_000, "IOS")
        ($0.conversionType, $0.deviceID) = ("MOBILEAPP_ACTIVITE", "41B5F7C7-1111-4A8D-9C1D-000000000001")
        $0.convertedAt = Google_Protobuf_Timestamp(seconds: 1_795_248_000)
        $0.clientIp = "10.1.2.3"
    }

    // MARK: The format of a payload

    @Test(
        arguments: [
            (nil, nil, .tombstone), ([], nil, .empty), (Array("{}".utf8), nil, .json),
            (Array("[1]".utf8), nil, .json),
            (Array(" {\"a\":1}".utf8), "application/json", .json), (Array("hello\n".utf8), nil, .text),
            (Array("hello".utf8), "text/plain", .text), (Array("{\"a\":".utf8), nil, .text),
            (Array("{}".utf8), "text/x", .json),
            ([0xFF, 0xFE], nil, .bytes), ([0x0A, 0x01, 0x41], "application/x-protobuf", .protobuf),
            ([0x0A, 0x01, 0x41], nil, .bytes), ([0x00, 0x01], nil, .bytes),
            ([0x00, 0, 0, 0, 1, 0, 0x0A, 1, 0x41], nil, .protobuf),
            ([0x01, 0x02, 0x03, 0x41], nil, .bytes),
        ] as [([UInt8]?, String?, DeadLetterPayload.Form)]
    )
    func tellsWhatItIsWrittenIn(value: [UInt8]?, contentType: String?, form: DeadLetterPayload.Form) {
        let payload = DeadLetterPayload(of: Self.record(value, contentType))
        #expect(payload.form == form)
        #expect((payload.fault, payload.valueBytes) == (nil, value?.count ?? 0))
        #expect((payload.tree == nil) == [.tombstone, .empty, .bytes].contains(form))
        #expect(!payload.lines().isEmpty)
    }

    @Test func keepsJSONAsItWasWritten() {
        let payload = Self.payload(Self.activation, schema: .activation)
        #expect(payload.tree.map { String(decoding: $0.compact, as: UTF8.self) } == Self.activation)
        // A phone chose the payment's value, so it is no fault that an editor could mend.
        #expect(payload.fault == nil)
        #expect(Self.payload(#"{"appId":[]}"#, schema: .activation).fault?.code == "field.wrong_type")
        #expect(Self.payload(#"{"appId":1}"#, schema: .activation).fault?.code == "advertiser_id.missing")
    }

    @Test func readsProtobufBySchema() throws {
        // Fields 117 and 118 are nobody's.
        let unknown: [UInt8] = [0xAA, 0x07, 0x02, 0x68, 0x69, 0xB0, 0x07, 0x05]
        let value: [UInt8] = try Self.message.serializedBytes() + unknown
        let payload = DeadLetterPayload(of: Self.record(value, "application/x-protobuf"), schema: .activation)
        #expect((payload.form, payload.fault) == (.protobuf, nil))
        #expect(payload.tree?.member("appId") == .string("112233"))
        #expect(payload.tree?.member("convertedAt") == .string("2026-11-21T08:00:00Z"))
        #expect(payload.tree?.member("#117") == .string("hi"))
        #expect(payload.tree?.member("#118") == .number("5"))
    }

    @Test func readsProtobufWithoutASchemaByItsNumbers() {
        let value: [UInt8] = [
            0x0A, 0x02, 0x68, 0x69, 0x10, 0x96, 0x01, 0x1A, 0x02, 0xFF, 0x00, 0x25, 1, 0, 0, 0,
        ]
        let payload = DeadLetterPayload(of: Self.record(value, "application/protobuf"))
        #expect(
            payload.tree
                == .object([
                    .init("#1", .string("hi")), .init("#2", .number("150")), .init("#3", .string("ff00")),
                    .init("#4", .number("1")),
                ])
        )
        let broken = DeadLetterPayload(
            of: Self.record([0x0A, 0x05, 0x41], "application/protobuf"),
            schema: .activation
        )
        #expect((broken.form, broken.fault?.code) == (.bytes, "value.not_protobuf"))
    }

    @Test func readsWhatStandsInAnEvent() {
        let event = #"{"specversion":"1.0","id":"e-1","subject":"alice","data":{"a":1},"type":"t"}"#
        let payload = Self.payload(event, "application/cloudevents+json")
        #expect(payload.tree == .object([.init("a", .number("1"))]))
        #expect(
            payload.envelope?.line() == #"{"specversion":"1.0","id":"e-1","subject":"alice","type":"t"}"#
        )
        #expect(payload.masked(by: mark).envelope?.member("subject") == .string("#alice"))
        #expect(payload.masked(by: mark).envelope?.member("id") == .string("e-1"))
    }

    @Test func showsNoEscapeToATerminal() {
        let texts = [
            #"{"a\u001b":"\u202e\u0007"}"#, "plain \u{1b}[2J\nline \u{200b}", "{\"\u{9b}\":\"\u{9b}\"}",
        ]
        for text in texts {
            for line in Self.payload(text).lines() {
                #expect(
                    line.unicodeScalars.allSatisfy { !SafeText.isTreacherous($0) },
                    "\(line.debugDescription)"
                )
            }
        }
        #expect(Self.payload("a\nb").lines() == ["a", "b"])
        #expect(Self.payload(String(repeating: "x", count: 600)).lines()[0].hasSuffix("x…"))
    }

    // MARK: Schemas

    @Test(
        arguments: [
            ("activation-worker", .activation), ("devicecheck-worker", .deviceCheck),
            ("push-arrival-worker", .pushArrival), ("push-arrival", .pushArrival),
            ("push-arrival.dead-letter", .pushArrival), ("push-arrival.result", nil),
            ("receipt-worker", .receipt),
            ("activation", .activation), ("activation.dead-letter", .activation),
            ("receipt.dead-letter", .receipt),
            ("orders", nil), ("activation2", nil), ("", nil), ("-worker", nil),
        ] as [(String, DeadLetterSchema?)]
    )
    func goesByTheName(name: String, schema: DeadLetterSchema?) {
        #expect(DeadLetterSchema(name: name) == schema)
    }

    @Test func goesByTheWorkerFirst() {
        var facts = DeadLetterFacts(HeaderBlock([]))
        #expect(DeadLetterSchema(facts) == nil)
        facts.sourceTopic = "receipt"
        #expect(DeadLetterSchema(facts) == .receipt)
        (facts.dialect, facts.worker) = (.flotilla, "activation-worker")
        #expect(DeadLetterSchema(facts) == .activation)
        facts.dialect = .spring
        #expect(DeadLetterSchema(facts) == .receipt)
    }

    /// A new field has to be decided upon before it can be shown to anybody.
    @Test(arguments: DeadLetterSchema.allCases)
    func decidesOnEveryField(schema: DeadLetterSchema) throws {
        let names = Set(schema.fields.map(\.name))
        #expect(names.count == schema.fields.count)
        let name = schema.rawValue
        let json = try JSONTree(parsing: Examples.bytes("json/\(name).schema.json"))
        guard case .object(let properties)? = json.member("properties") else {
            return #expect(Bool(false), "the JSON Schema has properties")
        }
        #expect(Set(properties.map(\.name)) == names)
        let path = schema == .pushArrival ? "pusharrival/v1/push_event" : "\(name)/v1/\(name)"
        let proto = String(
            decoding: try Examples.bytes("flotilla/\(path).proto"),
            as: UTF8.self
        )
        let declared = proto.matches(
            of: #/^ +(?:optional |repeated )?[\w.]+ (\w+) = \d+;/#.anchorsMatchLineEndings()
        )
        #expect(Set(declared.map { String($0.1) }) == Set(names.map(ProtobufName.snakeCase)))
        #expect(!declared.isEmpty)
    }

    @Test(arguments: DeadLetterSchema.allCases)
    func knowsWhatAFieldTakes(schema: DeadLetterSchema) {
        let samples: [DeadLetterSchema.Field.Kind: JSONTree] = [
            .text: .string("x"), .number: .number("1"), .time: .string("2026-11-21T08:00:00Z"),
            .flag: .bool(true), .document: .object([]),
        ]
        for field in schema.fields {
            for (kind, value) in samples where field.kind == kind {
                #expect(schema.protobuf(ofJSON: JSONTree.object([.init(field.name, value)]).compact) != nil)
            }
            #expect(schema.protobuf(ofJSON: JSONTree.object([.init(field.name, .array([]))]).compact) == nil)
            #expect(schema.field(ProtobufName.snakeCase(field.name)) == field)
        }
    }

    // MARK: Masking

    @Test func masksWhatIsPersonal() {
        let masked = Self.payload(Self.activation, schema: .activation).masked(by: mark)
        #expect(
            masked.tree?.line()
                == #"{"appId":"112233","advertiserId":10000,"appType":"IOS","conversionType":"MOBILEAPP_COST","#
                + ##""deviceId":"#41B5F7C7-1111-4A8D-9C1D-000000000001","convertedAt":"2026-11-21T08:00:00Z","##
                + ##""clientIp":"#10.1.2.3","clickId":"#click-1","##
                + ##""value":"18446744073709551615","extra":{"mail":"#a@b"}}"##
        )
        #expect(masked.editable == nil)
    }

    @Test(arguments: [
        (
            DeadLetterSchema.activation,
            [
                "deviceId", "muid", "clientIp", "clickId", "callback", "hashOaid", "hashAndroidId", "caid",
                "userAgent",
            ]
        ),
        (.deviceCheck, ["deviceToken", "subject"]), (.receipt, ["receiptData", "transactionId"]),
        (.pushArrival, ["deviceId", "payload"]),
    ])
    func masksTheseFieldsAndNoOthers(schema: DeadLetterSchema, names: [String]) {
        for field in schema.fields {
            for name in [field.name, ProtobufName.snakeCase(field.name)] {
                let shown = Self.payload("{\"\(name)\":\"s3cret\"}", schema: schema).masked(by: mark)
                let expected = names.contains(field.name) ? "#s3cret" : "s3cret"
                #expect(shown.tree?.member(name) == .string(expected))
            }
        }
    }

    @Test(arguments: [
        (#"{"appId":{"deviceId":"x","n":5}}"#, ##"{"appId":{"deviceId":"#x","n":"#5"}}"##),
        (#"{"appType":["x"]}"#, ##"{"appType":["#x"]}"##),
        (#"["x",1,true,null,""]"#, ##"["#x","#1",true,null,""]"##),
        (#"{"other":1.50}"#, ##"{"other":"#1.50"}"##),
        (#"{"alice@example.com":true}"#, ##"{"#alice@example.com":true}"##),
        (#"{"+4917012345":null}"#, ##"{"#+4917012345":null}"##),
    ])
    func masksWhatNobodyKnows(text: String, masked: String) {
        #expect(Self.payload(text, schema: .activation).masked(by: mark).tree?.line() == masked)
    }

    @Test func masksAllOfWhatHasNoSchema() {
        #expect(
            Self.payload(#"{"appId":"1","list":[{"a":2}],"flag":false}"#).masked(by: mark).tree?.line()
                == ##"{"appId":"#1","list":[{"a":"#2"}],"flag":false}"##
        )
        #expect(Self.payload("secret text").masked(by: mark).lines() == ["#secret text"])
        #expect(
            Self.payload(#"{"deviceId":"x"#, schema: .activation).masked(by: mark).lines() == [
                ##"#{"deviceId":"x"##
            ]
        )
        let bytes = DeadLetterPayload(of: Self.record([0xFF, 0x01])).masked { "#\($0.count)" }
        #expect(bytes.lines()[0].hasSuffix("#2"))
        #expect(bytes.masked { _ in "?" }.lines() == bytes.lines())
    }

    @Test func masksAShownFieldThatIsTooLong() {
        let long = String(repeating: "x", count: 257)
        let masked = Self.payload("{\"appType\":\"\(long)\"}", schema: .activation).masked { _ in "#" }
        #expect(masked.tree?.member("appType") == .string("#"))
    }

    @Test func masksProtobufToo() throws {
        let value: [UInt8] = try Self.message.serializedBytes() + [0xAA, 0x07, 0x02, 0x68, 0x69]
        let masked = DeadLetterPayload(of: Self.record(value, "application/x-protobuf"), schema: .activation)
            .masked(by: mark)
        #expect(masked.tree?.member("clientIp") == .string("#10.1.2.3"))
        #expect(masked.tree?.member("#117") == .string("#hi"))
        #expect(masked.tree?.member("appType") == .string("IOS"))
    }

    @Test(arguments: [
        "dlq.id", "__dlq.errors.message", "dlq.replay_id", "content-type", "traceparent", "ce_type",
        "flotilla.retry.due",
        "kafka_dlt-original-offset", "__connect.errors.stage", "source_topic",
    ])
    func showsWhatSaysNothingOfAnybody(name: String) {
        #expect(DeadLetterPayload.isPublicHeader(name, of: .flotilla))
    }

    @Test(arguments: [
        "", "authorization", "x-user", "baggage", "ce_subject", "kafka_dlt-exception-message", "original_key",
        "cookie",
        "kafka_dlt-exception-stacktrace", "__connect.errors.exception.message", "__streams.errors.exception",
        "reason_poisoned", "kafka_dlt-original-message-key", "dlq.mine", "Content-Type",
    ])
    func showsNoOtherHeader(name: String) {
        for dialect in DeadLetterDialect.allCases {
            #expect(!DeadLetterPayload.isPublicHeader(name, of: dialect))
        }
    }

    @Test func showsNoMessageOfAnybodyElse() {
        let shown = DeadLetterDialect.allCases.filter {
            DeadLetterPayload.isPublicHeader("__dlq.errors.message", of: $0)
        }
        #expect(shown == [.flotilla])
    }
}
