import Foundation
import TestMaterial
import Testing

@testable import WireFormats

/// The promises of `Schemas/json`, and the records that are really read and written.
@Suite struct SchemaTests {
    static func schema(_ name: String) throws -> JSONSchema {
        try JSONSchema(try ExamplesTests.bytes("json/\(name).schema.json"))
    }

    private static let base = [
        "appId": "\"112233\"", "advertiserId": "\"10000\"", "appType": "\"IOS\"",
        "conversionType": "\"MOBILEAPP_ACTIVITE\"", "convertedAt": "\"2026-11-21T08:00:00Z\"",
        "deviceId": "\"1E2DFA89-496A-47FD-9941-DF1FC4E6484A\"",
    ]

    /// A good activation with some members as told, and without those that are nil.
    static func activation(_ changes: KeyValuePairs<String, String?>) -> [UInt8] {
        var members = self.base
        for (name, value) in changes { members[name] = value }
        let text = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return Array("{\(text.joined(separator: ","))}".utf8)
    }

    @Test(
        arguments: [
            "activation", "activation.result", "devicecheck", "devicecheck.result", "receipt",
            "receipt.result", "sdk-upload.result", "sdk-events",
        ]
    )
    func everyExampleIsValid(name: String) throws {
        let schema = try Self.schema(name)
        let examples = ExamplesTests.examples(name)
        #expect(examples.count >= 5)
        for example in examples {
            let bytes = try ExamplesTests.bytes("examples/\(name)/\(example)")
            #expect(try schema.objections(to: bytes) == [], "\(example)")
        }
    }

    /// Schema and decoder say the same of a record, whichever way: a backend that checks by the schema is not surprised.
    @Test(
        arguments: [
            ([:], true),
            (["appId": "112233"], true), (["appId": "18446744073709551615"], true), (["appId": nil], false),
            (["appId": "18446744073709551616"], false), (["appId": "-1"], false), (["appId": "1.5"], false),
            (["appId": "\"-1\""], false), (["appId": "\"x\""], false), (["appId": "\"\""], false),
            (["appId": "true"], false), (["appId": "0"], false), (["appId": "\"0\""], false),
            (["advertiserId": nil], false), (["advertiserId": "[]"], false), (["advertiserId": "0"], false),
            (["appType": "\"ios\""], true),
            (["appType": "\"UnionAndroid\"", "deviceId": "\"354649050046412\""], true),
            (["appType": "\"UNION\""], false), (["appType": "\"\""], false), (["appType": "1"], false),
            (["appType": nil], false),
            (["conversionType": "\"MOBILEAPP_SEARCH\""], true),
            (["conversionType": "\"MOBILE_APP_ACTIVITE\""], false),
            (["conversionType": "\"mobileapp_activite\""], false), (["conversionType": nil], false),
            (["convertedAt": "\"2026-11-21T16:00:00.999+08:00\""], true), (["convertedAt": nil], true),
            (["trackingAuthorized": "true"], true), (["trackingAuthorized": "\"true\""], false),
            (["convertedAt": "1795248000"], false), (["convertedAt": "\"2026-13-21T08:00:00Z\""], false),
            (["convertedAt": "\"2026-11-21T08:00:00\""], false), (["convertedAt": "\"\""], false),
            (["clientIp": "\"10.11.12.13\""], true), (["clientIp": "\"2001:db8::7\""], true),
            (["clientIp": "\"\""], true),
            (["clientIp": "\"10.11.12\""], false), (["clientIp": "\"10.11.12.256\""], false),
            (["clientIp": "7"], false),
            (["clickId": "\"!~\""], true), (["clickId": "\"\""], true), (["clickId": "\"a b\""], false),
            (["clickId": "\"é\""], false), (["clickId": "\"\(String(repeating: "c", count: 128))\""], true),
            (["clickId": "\"\(String(repeating: "c", count: 129))\""], false),
            (["conversionType": "\"MOBILEAPP_COST\"", "value": "\"100\""], true),
            (["conversionType": "\"MOBILEAPP_COST\"", "value": "100"], true),
            (["conversionType": "\"MOBILEAPP_COST\"", "value": "-1"], false),
            (["conversionType": "\"MOBILEAPP_COST\"", "value": "9223372036854775807"], true),
            (["conversionType": "\"MOBILEAPP_COST\"", "value": "9223372036854775808"], false),
            (["value": "100"], false),
            (["hashOaid": "\"83e9158a4fb54c0e1ef0b238639a23ae\""], true), (["hashOaid": "\"\""], true),
            (["hashOaid": "\"83E9158A4FB54C0E1EF0B238639A23AE\""], false), (["hashOaid": "1"], false),
            (["hashAndroidId": "\"x\""], false), (["caid": "\"507b36cb\"", "caidVersion": "\"1005\""], true),
            (["caid": "\"a b\"", "caidVersion": "\"1005\""], false), (["caid": "7"], false),
            (["userAgent": "\"Mozilla/5.0 (Linux)\""], true), (["userAgent": "5"], false),
            (["deviceId": nil, "hashAndroidId": "\"b496ec1169770ea274a2b4f42ca4fb71\""], true),
            (["deviceId": nil, "muid": "\"0f074dc8e1f0547310e729032ac0730b\""], true),
            (["deviceId": "\"\"", "muid": "\"0f074dc8e1f0547310e729032ac0730b\""], true),
            (["muid": "\"\""], true),
            (["muid": "\"0f074dc8e1f0547310e729032ac0730b\""], false),
            (["deviceId": nil, "muid": "\"0F074DC8E1F0547310E729032AC0730B\""], false),
            (["deviceId": nil, "muid": "\"0f\""], false), (["deviceId": "5"], false),
            (["appId": "\"0112233\""], false), (["appId": "112233.0"], true), (["appId": "1.12233e5"], true),
            (["appId": "\"99999999999999999999\""], false), (["appId": "\" 1\""], false),
            (["appId": "\"+1\""], false),
            (["value": "\"007\"", "conversionType": "\"MOBILEAPP_COST\""], false),
            (["appId": "null"], false),
            (["another": "{\"a\":[1]}"], true),
        ] as [(KeyValuePairs<String, String?>, Bool)]
    )
    func agreesWithTheDecoder(changes: KeyValuePairs<String, String?>, isRight: Bool) throws {
        let bytes = Self.activation(changes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(try Self.schema("activation").objections(to: bytes).isEmpty == isRight, "schema: \(text)")
        #expect(Self.isDecoded(bytes) == isRight, "decoder: \(text)")
    }

    /// Values that protobuf's JSON mapping allows and the schema advises against are read all the same.
    @Test(
        arguments: [
            ["appId": "\"1e5\""], ["appId": "\"1.0\""], ["deviceId": "null"], ["clickId": "null"],
            ["value": "null"],
        ] as [KeyValuePairs<String, String?>]
    )
    func theDecoderForgivesMore(changes: KeyValuePairs<String, String?>) throws {
        let bytes = Self.activation(changes)
        #expect(try !Self.schema("activation").objections(to: bytes).isEmpty)
        #expect(Self.isDecoded(bytes))
    }

    /// Whether the record is well-formed: one that is refused for having no device is, one that is refused for what a
    /// phone wrote is not.
    private static func isDecoded(_ bytes: [UInt8]) -> Bool {
        do throws(Activation.Fault) {
            _ = try Activation(decoding: ActivationDraft.record(bytes, at: 1_795_248_000_000))
            return true
        } catch {
            guard case .refused(let reason, _) = error else { return false }
            return !reason.code.hasSuffix(".malformed") && reason.code != "value.negative"
        }
    }

    @Test(arguments: ["", "[]", "null", "\"{}\"", "1", "{}"])
    func refusesWhatIsNoActivationAtAll(text: String) throws {
        let objections = try? Self.schema("activation").objections(to: Array(text.utf8))
        #expect(objections != [])
        #expect(!Self.isDecoded(Array(text.utf8)))
    }

    @Test func everyResultOfAnUploadThatIsWrittenIsValid() throws {
        let schema = try Self.schema("sdk-upload.result")
        for fate in Outcome.Fate.allCases {
            let reason = fate == .succeeded ? nil : Reason("upload.json", "No \"JSON\".")
            let outcome = Outcome.ofActivation(
                fate,
                reason,
                deadLetterID: fate == .deadLettered ? "dl-1" : nil
            )
            var counts = SDKUploadResult.Counts()
            counts.dropped = .max
            for value in [
                SDKUploadResult.upload(outcome, nil), SDKUploadResult.upload(outcome, counts),
                SDKUploadResult.event(outcome, id: String(repeating: "0a", count: 16), type: .activate),
            ] {
                #expect(try schema.objections(to: value) == [], "\(String(decoding: value, as: UTF8.self))")
            }
        }
    }

    /// Each event of the vectors, as it is published.
    @Test(arguments: UploadRow.all)
    func everyEventThatIsPublishedIsValid(row: UploadRow) throws {
        guard row.error == nil else { return }
        let schema = try Self.schema("sdk-events")
        let request = SDKUploadRequest(
            method: row.request.method,
            target: row.request.target,
            headers: row.request.headers.map { ($0.key, $0.value) },
            clientIP: "2001:db8::7",
            body: row.body
        )
        for event in try SDKUpload(decoding: request).events {
            let value = event.record(
                id: event.id,
                account: "a",
                upload: "sdk-upload/0/1",
                receivedAt: 1_795_248_000_000,
                clientIP: request.clientIP
            )
            #expect(try schema.objections(to: value) == [], "\(String(decoding: value, as: UTF8.self))")
            #expect(PublishedSDKEvent(value)?.id == event.id)
        }
    }

    @Test func everyResultThatIsWrittenIsValid() throws {
        let schema = try Self.schema("activation.result")
        for fate in Outcome.Fate.allCases {
            let reason = fate == .succeeded ? nil : Reason("gdt.-15", "Illegal \"muid\".")
            let letter = fate == .deadLettered ? "dl-1" : nil
            let outcome = Outcome.ofActivation(fate, reason, deadLetterID: letter)
            let silent = ActivationAnswer(
                account: ActivationResultTests.account,
                conversionType: "MOBILEAPP_COST"
            )
            let answers: [ActivationAnswer?] = [
                nil, silent, try ActivationResultTests.answer(ret: 0, "ok"),
                try ActivationResultTests.answer(ret: .min, String(repeating: "拒", count: 900), status: 599),
                try ActivationResultTests.answer(ret: .max, "muid 40c7084b4845eebce9d07b8a18a055fc"),
            ]
            for answer in answers {
                let json = ActivationResult.encode(outcome, answer, as: .json)
                #expect(try schema.objections(to: json) == [], "\(String(decoding: json, as: UTF8.self))")
            }
        }
    }

    /// Each is a result with one thing wrong about it.
    @Test(arguments: [
        (#""worker":"activation-worker","#, "", "required"),
        (#""partition":3"#, #""partition":"3""#, "type"), (#""partition":3"#, #""partition":-1"#, "minimum"),
        (#""offset":"42""#, #""offset":42"#, "type"), (#""offset":"42""#, #""offset":"-1""#, "pattern"),
        (#""fate":"rejected""#, #""fate":"succeeded""#, "if"), (#""fate":"rejected""#, #""fate":7"#, "type"),
        (#","message":"Illegal.""#, "", "required"), (#""attempts":1"#, #""attempts":1.5"#, "type"),
        ("2026-11-21T08:00:00Z", "yesterday", "format"), (#""ret":-15"#, #""ret":-2147483649"#, "minimum"),
        (#""ret":-15"#, #""ret":2147483648"#, "maximum"), (#""message":"no""#, #""message":1"#, "type"),
        (#""message":"no""#, #""message":"\#(String(repeating: "x", count: 201))""#, "maxLength"),
        (#""appId":"112233""#, #""appId":112233"#, "type"),
        (#""appId":"112233""#, #""appId":"x""#, "pattern"),
        (#""httpStatus":200"#, #""httpStatus":"200""#, "type"),
        (#""conversionType":"MOBILEAPP_ACTIVITE""#, #""conversionType":null"#, "type"),
    ])
    func refusesAResultThatNobodyWrites(part: String, replacement: String, keyword: String) throws {
        let good = ActivationResult.encode(
            Outcome.ofActivation(.rejected, Reason("gdt.-15", "Illegal.")),
            try ActivationResultTests.answer(ret: -15, "no"),
            as: .json
        )
        let text = String(decoding: good, as: UTF8.self)
        let schema = try Self.schema("activation.result")
        #expect(try schema.objections(to: good) == [])
        #expect(text.contains(part))
        let bad = text.replacing(part, with: replacement)
        let objections = try schema.objections(to: Array(bad.utf8))
        #expect(
            objections.count == 1 && objections.allSatisfy { $0.hasSuffix(": \(keyword)") },
            "\(objections)"
        )
    }
}
