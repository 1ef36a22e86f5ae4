import Records
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

@Suite struct ActivationDecodingTests {
    static let full = #"""
        {"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_COST",
        "deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A","convertedAt":"2026-11-21T08:00:00Z",
        "clientIp":"10.11.12.13","clickId":"007210548a030059ccdfd1d4","value":"100"}
        """#

    @Test(arguments: [
        full,
        full.replacing("\"112233\"", with: "112233").replacing("\"100\"", with: "100"),
        full.replacing("{\"appId\"", with: #"{"unknown":{"a":[1,{}]},"other":null,"app_id""#),
        full.replacing("08:00:00Z", with: "16:00:00.999+08:00"),
    ])
    func readsJSON(text: String) throws {
        let activation = try Activation(decoding: ActivationDraft.record(Array(text.utf8)))
        #expect(activation.account == GDTAccount(appID: 112_233, advertiserID: 10_000))
        #expect(activation.convertedAt == 1_795_248_000)
        #expect(activation.clientIP == "10.11.12.13")
        #expect(activation.clickID == "007210548a030059ccdfd1d4")
        #expect(activation.value == 100)
    }

    /// The seed reports the present time; a record without a time is reported with its own timestamp.
    @Test func takesTheTimestampOfARecordWithoutATime() throws {
        var record = ActivationDraft.record(try ActivationDraft { $0.clearConvertedAt() }.json)
        self.expect("converted_at.missing", of: record)
        for timestamp in [0, -1, 999_999_999_999, .max] as [Int64] {
            record.timestamp = timestamp
            self.expect("converted_at.missing", of: record)
        }
        record.timestamp = 1_795_248_001_999
        let assumed = try Activation(decoding: record)
        #expect(assumed.convertedAt == 1_795_248_001)
        #expect(assumed.isTimeAssumed)
        record.value = try ActivationDraft().json
        let named = try Activation(decoding: record)
        #expect(named.convertedAt == 1_795_248_000)
        #expect(!named.isTimeAssumed)
    }

    @Test(arguments: ["true", "null"]) func reportsWhereTrackingIsAllowed(_ word: String) throws {
        let text = Self.full.replacing("{\"appId\"", with: "{\"trackingAuthorized\":\(word),\"appId\"")
        let activation = try Activation(decoding: ActivationDraft.record(Array(text.utf8)))
        #expect(activation.convertedAt == 1_795_248_000)
    }

    @Test func readsTheSameFromBothFormats() throws {
        let draft = ActivationDraft { ($0.clientIp, $0.clickID) = ("2001:db8::7", "c") }
        let fromJSON = try Activation(decoding: ActivationDraft.record(draft.json))
        let fromProtobuf = try Activation(decoding: ActivationDraft.record(draft.protobuf))
        let fromFrame = try Activation(decoding: ActivationDraft.record([0, 0, 0, 0, 1, 0] + draft.protobuf))
        #expect(fromJSON == fromProtobuf)
        #expect(fromFrame == fromProtobuf)
    }

    @Test(arguments: [
        ("value.not_json", "{"),
        ("value.not_json", #"{"appId":1}x"#),
        ("value.not_json", #"{"appId":01}"#),
        ("value.not_json", #"{"appId":tru}"#),
        ("value.not_json", #"{appId:1}"#),
        ("field.wrong_type", #"{"appId":"x"}"#),
        ("field.wrong_type", #"{"appId":-1}"#),
        ("field.wrong_type", #"{"appId":1.5}"#),
        ("field.wrong_type", #"{"appId":18446744073709551616}"#),
        ("field.wrong_type", #"{"appType":1}"#),
        ("field.wrong_type", #"{"appType":{}}"#),
        // A phone can choose these, so they do not hide what the publisher has to mend.
        ("app_id.missing", #"{"convertedAt":1795248000}"#),
        ("app_id.missing", #"{"convertedAt":"2026-13-21T08:00:00Z"}"#),
        ("app_id.missing", #"{"value":true}"#),
        ("value.too_deep", #"{"unknown":"# + String(repeating: #"{"a":"#, count: 100_000)),
        ("value.not_json", #"{"unknown":"# + String(repeating: "[", count: 1_000_000)),
    ])
    func saysWhatIsWrongWithJSON(code: String, text: String) {
        self.expect(code, of: ActivationDraft.record(Array(text.utf8)))
    }

    @Test(arguments: [
        ("[]", "The value is a list. A record is one JSON object or one protobuf message."),
        (" [1]\n", "The value is a list. A record is one JSON object or one protobuf message."),
        ("hello", "The value is a text, and neither one JSON object nor a protobuf message."),
        ("<html></html>", "The value is a text, and neither one JSON object nor a protobuf message."),
        ("\u{1}\u{1}", "The value is not a protobuf message."),
    ])
    func saysWhatAValueIsThatIsNoRecord(text: String, message: String) {
        #expect(Self.message(of: text) == message)
    }

    @Test(arguments: [
        (
            "MOBILEAPP_ACTIVATE",
            "The field `conversionType` is no type of conversion that GDT knows: `MOBILEAPP_ACTIVATE`. "
                + "Did you mean `MOBILEAPP_ACTIVITE`?"
        ),
        ("LOGIN", "The field `conversionType` is no type of conversion that GDT knows: `LOGIN`."),
        ("", "The field `conversionType` is no type of conversion that GDT knows."),
        ("a b", "The field `conversionType` is no type of conversion that GDT knows."),
    ])
    func namesTheTypeThatItDoesNotKnow(type: String, message: String) {
        let record = #"{"appId":1,"advertiserId":2,"appType":"IOS","conversionType":"\#(type)"}"#
        #expect(Self.message(of: record)?.hasPrefix(message) == true)
    }

    /// The message about a value that makes a dead letter; nil for another value.
    private static func message(of text: String) -> String? {
        do throws(Activation.Fault) {
            _ = try Activation(decoding: ActivationDraft.record(Array(text.utf8)))
            return nil
        } catch {
            guard case .record(let fault) = error else { return nil }
            return fault.reason.message
        }
    }

    @Test func refusesTextThatIsNotUTF8() {
        self.expect(
            "value.not_json",
            of: ActivationDraft.record(Array(#"{"appType":""#.utf8) + [0xFF] + Array("\"}".utf8))
        )
    }

    @Test(arguments: [
        [0x08], [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x1A, 0x05, 0x49],
        [0x1A, 0x01, 0xFF], [0x07], [0x0C], [0x3A, 0x02, 0x08],
    ])
    func refusesBytesThatAreNotProtobuf(bytes: [UInt8]) {
        self.expect("value.not_protobuf", of: ActivationDraft.record(bytes))
    }

    @Test func neverQuotesTheValue() throws {
        let secret = "1E2DFA89-496A-47FD"
        for text in [#"{"appId":"\#(secret)"}"#, "{\(secret)", secret, #"{"convertedAt":"\#(secret)"}"#] {
            do {
                _ = try Activation(decoding: ActivationDraft.record(Array(text.utf8)))
                Issue.record("decoded \(text)")
            } catch {
                #expect(!"\(error)".contains(secret))
            }
        }
    }

    // MARK: Properties

    @Test func survivesEveryTruncation() throws {
        let draft = ActivationDraft { ($0.clientIp, $0.clickID) = ("2001:db8::7", "c") }
        let event = Array(#"{"specversion":"1.0","data":"#.utf8) + (try draft.json) + Array("}".utf8)
        let header = [RecordHeader("content-type", "application/cloudevents+json")]
        for length in try 0..<draft.json.count {
            let record = ActivationDraft.record(Array(try draft.json.prefix(length)))
            #expect(throws: Activation.Fault.self) { try Activation(decoding: record) }
        }
        for length in 0..<event.count {
            let record = ActivationDraft.record(Array(event.prefix(length)), header)
            #expect(throws: Activation.Fault.self) { try Activation(decoding: record) }
        }
        for length in try 0..<draft.protobuf.count {
            // Cut between two fields it is a message again, so it need not fail.
            _ = try? Activation(decoding: ActivationDraft.record(Array(try draft.protobuf.prefix(length))))
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func survivesNoise(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let draft = ActivationDraft()
        let contentTypes = [
            nil, "application/json", "application/x-protobuf", "application/cloudevents+json",
        ]
        for golden in [try draft.json, try draft.protobuf, []] {
            var bytes = golden
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                if bytes.isEmpty || Bool.random(using: &random) {
                    bytes.insert(
                        .random(in: 0...255, using: &random),
                        at: .random(in: 0...bytes.count, using: &random)
                    )
                } else {
                    bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
            }
            for contentType in contentTypes {
                let headers = contentType.map { [RecordHeader("content-type", $0)] } ?? []
                _ = try? Activation(decoding: ActivationDraft.record(bytes, headers))
                _ = GDTReply(bytes)
                _ = TraceContext(parent: bytes)
            }
        }
    }

    private func expect(_ code: String, of record: InboundRecord) {
        let fault = #expect(throws: Activation.Fault.self) { try Activation(decoding: record) }
        guard case .record(let fault) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(fault.reason.code == code)
    }
}
