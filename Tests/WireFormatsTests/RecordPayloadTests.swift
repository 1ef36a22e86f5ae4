import Records
import Testing

@testable import WireFormats

@Suite struct RecordPayloadTests {
    static let json = Array(#"{"appId":1}"#.utf8)
    static let protobuf: [UInt8] = [0x08, 0x01]
    static let frame: [UInt8] = [0, 0, 0, 0, 7]

    struct Row: Sendable {
        var contentType: String?
        var value: [UInt8]
        var format: ValueFormat
        var payload: [UInt8]
    }

    static let good: [Row] = [
        Row(value: json, format: .json, payload: json),
        Row(contentType: "application/json", value: json, format: .json, payload: json),
        Row(contentType: "Application/JSON; charset=utf-8", value: json, format: .json, payload: json),
        Row(contentType: " application/vnd.acme+json ;v=1", value: json, format: .json, payload: json),
        Row(contentType: "", value: json, format: .json, payload: json),
        Row(value: Array(" \n\t{ \"".utf8), format: .json, payload: Array(" \n\t{ \"".utf8)),
        Row(value: [0xEF, 0xBB, 0xBF] + json, format: .json, payload: json),
        Row(contentType: "application/json", value: [0xEF, 0xBB, 0xBF] + json, format: .json, payload: json),
        Row(value: protobuf, format: .protobuf, payload: protobuf),
        Row(contentType: "application/protobuf", value: protobuf, format: .protobuf, payload: protobuf),
        Row(contentType: "application/x-protobuf", value: json, format: .protobuf, payload: json),
        Row(
            contentType: "application/x-protobuf;messageType=A",
            value: protobuf,
            format: .protobuf,
            payload: protobuf
        ),
        // A string of 123 bytes in field 1 looks like white space and a brace.
        Row(value: [0x0A, 0x7B, 0x61], format: .protobuf, payload: [0x0A, 0x7B, 0x61]),
        Row(value: frame + json, format: .json, payload: json),
        Row(contentType: "application/json", value: frame + json, format: .json, payload: json),
        Row(value: frame + [0] + protobuf, format: .protobuf, payload: protobuf),
        Row(value: frame + [2, 0] + protobuf, format: .protobuf, payload: protobuf),
        Row(value: frame + [0x80, 0x00] + protobuf, format: .protobuf, payload: protobuf),
        Row(value: frame + [0], format: .protobuf, payload: []),
    ]

    @Test(arguments: good.indices)
    func findsThePayload(row: Int) throws {
        let row = Self.good[row]
        let headers = row.contentType.map { [RecordHeader("content-type", $0)] } ?? []
        let payload = try RecordPayload(of: ActivationDraft.record(row.value, headers))
        #expect(payload.format == row.format)
        #expect(Array(payload.bytes[payload.start...]) == row.payload)
    }

    static let bad: [(code: String, contentType: String?, value: [UInt8]?)] = [
        ("value.tombstone", nil, nil),
        ("value.tombstone", "application/json", nil),
        ("value.empty", nil, []),
        ("value.empty", "application/x-protobuf", []),
        ("value.too_large", nil, [UInt8](repeating: 0x7B, count: RecordPayload.bytesLimit + 1)),
        ("value.unknown_content_type", "text/plain", json),
        ("value.unknown_content_type", "application/avro", json),
        ("value.unknown_content_type", "text/vnd.acme+json", json),
        ("value.unknown_content_type", "\u{fffd}", json),
        ("value.framing", nil, [0]),
        ("value.framing", nil, frame),
        ("value.framing", "application/json", frame),
        ("value.framing", nil, frame + [0x80]),
        ("value.framing", nil, frame + [2]),
        ("value.framing", nil, frame + [2, 2] + protobuf),
        ("value.framing", nil, frame + [4, 0, 0] + protobuf),
        ("value.framing", nil, frame + [1, 0] + protobuf),
        ("value.framing", nil, frame + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + protobuf),
        ("value.cloudevents", "application/cloudevents-batch+json", Array("[]".utf8)),
        ("value.cloudevents", "application/cloudevents+protobuf", protobuf),
        ("value.cloudevents", "application/cloudevents+json", Array("[]".utf8)),
        ("value.cloudevents", "application/cloudevents+json", Array(#"{"data":{}}"#.utf8)),
        (
            "value.cloudevents", "application/cloudevents+json",
            Array(#"{"specversion":"0.3","data":{}}"#.utf8)
        ),
        (
            "value.cloudevents", "application/cloudevents+json",
            Array(#"{"specversion":"1.0","data_base64":"e30"}"#.utf8)
        ),
        (
            "value.cloudevents", "application/cloudevents+json",
            Array(#"{"specversion":"1.0","data":{},"data_base64":"e30="}"#.utf8)
        ),
        ("value.tombstone", "application/cloudevents+json", Array(#"{"specversion":"1.0"}"#.utf8)),
        (
            "value.tombstone", "application/cloudevents+json",
            Array(#"{"specversion":"1.0","data":null}"#.utf8)
        ),
        (
            "value.empty", "application/cloudevents+json",
            Array(#"{"specversion":"1.0","data_base64":""}"#.utf8)
        ),
        (
            "value.unknown_content_type", "application/cloudevents+json",
            Array(#"{"specversion":"1.0","datacontenttype":"text/xml","data":"<a/>"}"#.utf8)
        ),
    ]

    @Test(arguments: bad.indices)
    func saysWhatIsWrongWithAValue(row: Int) throws {
        let (code, contentType, value) = Self.bad[row]
        let headers = contentType.map { [RecordHeader("content-type", $0)] } ?? []
        let fault = #expect(throws: RecordFault.self) {
            try RecordPayload(of: ActivationDraft.record(value, headers))
        }
        #expect(fault?.reason.code == code)
        #expect(fault?.kind == (code == "value.too_large" ? .tooLarge : .undecodable))
    }

    // MARK: Schema id in a header

    @Test(arguments: [
        [0, 0, 0, 0, 7], [1] + [UInt8](repeating: 9, count: 16), [1] + [UInt8](repeating: 9, count: 16) + [0],
        [0, 0, 0, 0, 7, 2, 0], [],
    ])
    func takesABareValueBesideASchemaHeader(header: [UInt8]) throws {
        let record = ActivationDraft.record(Self.protobuf, [RecordHeader("__value_schema_id", header)])
        let payload = try RecordPayload(of: record)
        #expect(payload.format == .protobuf)
        #expect(payload.start == 0)
    }

    @Test func refusesAnotherMessageOfTheSchemaInTheHeader() {
        let record = ActivationDraft.record(
            Self.protobuf,
            [RecordHeader("__value_schema_id", [0, 0, 0, 0, 7, 2, 2])]
        )
        let fault = #expect(throws: RecordFault.self) { try RecordPayload(of: record) }
        #expect(fault?.reason.code == "value.framing")
    }

    // MARK: CloudEvents

    /// A phone may have chosen how deep a value nests. The reader of the data decides about it.
    @Test func takesAnEventWhoseDataNestsDeep() throws {
        let data =
            "{\"a\":" + String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000) + "}"
        let record = ActivationDraft.record(
            Array("{\"specversion\":\"1.0\",\"data\":\(data)}".utf8),
            [RecordHeader("content-type", "application/cloudevents+json")]
        )
        #expect(try RecordPayload(of: record).bytes == Array(data.utf8))
    }

    @Test(arguments: [nil, "application/json"])
    func takesABinaryEvent(contentType: String?) throws {
        var headers = [RecordHeader("ce_specversion", "1.0"), RecordHeader("ce_id", "1")]
        if let contentType { headers.append(RecordHeader("content-type", contentType)) }
        #expect(try RecordPayload(of: ActivationDraft.record(Self.json, headers)).bytes == Self.json)
    }

    @Test(arguments: [
        (#"{"specversion":"1.0","id":"1","data":{"appId":1}}"#, ValueFormat.json, json),
        (
            #"{"specversion":"1.0","datacontenttype":"application\/json","data":{"appId":1},"x":[1]}"#, .json,
            json
        ),
        (#"{"specversion":"1.0","datacontenttype":"application/json","data":"{\"appId\":1}"}"#, .json, json),
        (
            #"{"specversion":"1.0","datacontenttype":"application/protobuf","data_base64":"CAE="}"#,
            .protobuf, protobuf
        ),
        (#"{"specversion":"1.0","data_base64":"CAE="}"#, .protobuf, protobuf),
        (#"{"specversion":"1.0","data_base64":"eyJhcHBJZCI6MX0="}"#, .json, json),
    ])
    func opensAStructuredEvent(event: String, format: ValueFormat, payload: [UInt8]) throws {
        let headers = [RecordHeader("content-type", "application/cloudevents+json; charset=UTF-8")]
        let found = try RecordPayload(of: ActivationDraft.record(Array(event.utf8), headers))
        #expect(found.format == format)
        #expect(Array(found.bytes[found.start...]) == payload)
    }
}
