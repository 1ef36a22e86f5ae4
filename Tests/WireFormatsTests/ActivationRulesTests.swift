import Cryptography
import Records
import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

typealias Change = @Sendable (inout Flotilla_Activation_V1_Activation) -> Void

@Suite struct ActivationRulesTests {
    static let zeroIDFA = "00000000-0000-0000-0000-000000000000"

    /// Changes to a good message, each with its code.
    static let invalid: [(code: String, change: Change)] = [
        ("app_id.missing", { $0.appID = 0 }),
        ("advertiser_id.missing", { $0.advertiserID = 0 }),
        ("app_type.unknown", { $0.appType = "" }),
        ("app_type.unknown", { $0.appType = "UNION" }),
        ("app_type.unknown", { $0.appType = " IOS" }),
        ("conversion_type.unknown", { $0.conversionType = "" }),
        ("conversion_type.unknown", { $0.conversionType = "mobileapp_activite" }),
        ("conversion_type.unknown", { $0.conversionType = "MOBILE_APP_ACTIVITE" }),
        ("converted_at.missing", { $0.clearConvertedAt() }),
        ("value.not_a_payment", { $0.value = 100 }),
        ("value.not_a_payment", { $0.value = 0 }),
        ("device_id.ambiguous", { $0.muid = "0f074dc8e1f0547310e729032ac0730b" }),
    ]

    @Test(arguments: invalid.indices)
    func rejectsWhatIsWrong(row: Int) throws {
        let (code, change) = Self.invalid[row]
        let fault = #expect(throws: Activation.Fault.self) { try ActivationDraft(change).activation() }
        guard case .record(let record) = fault else {
            Issue.record("\(String(describing: fault)) in row \(row)")
            return
        }
        #expect(record.reason.code == code)
        #expect(record.kind == .invalid)
    }

    /// Faults in values that a phone or its user chooses, each with its code.
    static let refused: [(code: String, change: Change)] = [
        ("converted_at.malformed", { $0.convertedAt.seconds = 0 }),
        ("converted_at.malformed", { $0.convertedAt.seconds = 999_999_999 }),
        ("converted_at.malformed", { $0.convertedAt.seconds = -1 }),
        ("converted_at.malformed", { $0.convertedAt.seconds = .max }),
        ("client_ip.malformed", { $0.clientIp = "10.11.12" }),
        ("client_ip.malformed", { $0.clientIp = " 10.11.12.13" }),
        ("click_id.malformed", { $0.clickID = "a b" }),
        ("click_id.malformed", { $0.clickID = "é" }),
        ("click_id.malformed", { $0.clickID = String(repeating: "a", count: 129) }),
        ("value.negative", { ($0.conversionType, $0.value) = ("MOBILEAPP_COST", -1) }),
        ("device_id.malformed", { $0.deviceID = "1E2DFA89496A47FD9941DF1FC4E6484A" }),
        ("device_id.malformed", { $0.deviceID = "1E2DFA89-496A-47FD-9941-DF1FC4E6484G" }),
        ("device_id.malformed", { $0.deviceID = "1E2DFA89-496A-47FD-9941-DF1FC4E6484AA" }),
        ("device_id.malformed", { $0.deviceID = "354649050046412" }),
        ("device_id.malformed", { $0.appType = "ANDROID" }),
        ("device_id.malformed", { ($0.appType, $0.deviceID) = ("ANDROID", "3546490500464") }),
        ("device_id.malformed", { ($0.appType, $0.deviceID) = ("ANDROID", "35464905004641234") }),
        ("device_id.malformed", { ($0.appType, $0.deviceID) = ("ANDROID", "a00000123456789f") }),
        ("muid.malformed", { ($0.deviceID, $0.muid) = ("", "0F074DC8E1F0547310E729032AC0730B") }),
        ("muid.malformed", { ($0.deviceID, $0.muid) = ("", "0f074dc8e1f0547310e729032ac0730") }),
        ("muid.malformed", { ($0.deviceID, $0.muid) = ("", "0f074dc8e1f0547310e729032ac0730g") }),
        ("hash_oaid.malformed", { $0.hashOaid = "0F074DC8E1F0547310E729032AC0730B" }),
        ("hash_android_id.malformed", { $0.hashAndroidID = "x" }),
        ("caid.malformed", { $0.caid = "507b36cb" }),
        ("caid.malformed", { ($0.caid, $0.caidVersion) = ("a b", "1005") }),
        ("caid.malformed", { ($0.caid, $0.caidVersion) = (String(repeating: "a", count: 65), "1005") }),
        ("device_id.zero", { ($0.deviceID, $0.caid, $0.caidVersion) = (Self.zeroIDFA, "507b36cb", "1005") }),
        ("device_id.empty", { ($0.deviceID, $0.hashOaid) = ("", "9f89c84a559f573636a47ff8daed0d33") }),
        ("tracking.denied", { $0.trackingAuthorized = false }),
        ("tracking.denied", { ($0.trackingAuthorized, $0.deviceID, $0.clientIp) = (false, "", "none") }),
        ("tracking.denied", { ($0.trackingAuthorized, $0.muid, $0.appType) = (false, "x", "WINDOWS") }),
        ("device_id.empty", { $0.deviceID = "" }),
        ("device_id.empty", { $0.deviceID = " \t\n" }),
        ("device_id.empty", { ($0.deviceID, $0.muid) = ("", "d41d8cd98f00b204e9800998ecf8427e") }),
        ("device_id.zero", { $0.deviceID = Self.zeroIDFA }),
        ("device_id.zero", { $0.deviceID = " \(Self.zeroIDFA) " }),
        ("device_id.zero", { ($0.deviceID, $0.muid) = ("", "9f89c84a559f573636a47ff8daed0d33") }),
        ("device_id.zero", { ($0.appType, $0.deviceID) = ("ANDROID", "000000000000000") }),
        ("device_id.zero", { ($0.appType, $0.deviceID) = ("UNIONANDROID", "00000000000000") }),
        (
            "device_id.zero",
            {
                ($0.deviceID, $0.muid) = (
                    "", Self.text(Digest.md5.hexadecimal(Array("000000000000000".utf8)))
                )
            }
        ),
    ]

    @Test(arguments: refused.indices)
    func refusesWhatAPhoneChose(row: Int) {
        let (code, change) = Self.refused[row]
        let fault = #expect(throws: Activation.Fault.self) { try ActivationDraft(change).activation() }
        guard case .refused(let reason, let answer) = fault else {
            Issue.record("\(String(describing: fault)) in row \(row)")
            return
        }
        #expect(reason.code == code)
        #expect(answer?.account == GDTAccount(appID: 112_233, advertiserID: 10_000))
        #expect(answer?.gdt == nil)
    }

    /// A fault that the publisher has to mend is not hidden by anything that a phone puts beside it.
    @Test(arguments: invalid.indices)
    func saysThatARecordIsWrongBeforeItRefusesWhatAPhoneChose(row: Int) {
        let (code, change) = Self.invalid[row]
        let fault = #expect(throws: Activation.Fault.self) {
            try ActivationDraft {
                ($0.deviceID, $0.clientIp, $0.clickID) = ("no device", "no address", "no click")
                $0.convertedAt.seconds = -1
                change(&$0)
            }.activation()
        }
        guard case .record(let record) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(record.reason.code == code)
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    /// A backend in JavaScript hands on numbers, objects and halves of surrogate pairs as they came.
    static let illegible: [(code: String, fields: String)] = [
        ("tracking.malformed", #""trackingAuthorized":"no""#),
        ("tracking.malformed", #""tracking_authorized":0"#),
        ("click_id.malformed", #""clickId":5"#),
        ("click_id.malformed", #""click_id":"\ud800""#),
        (
            "click_id.malformed",
            #""clickId":["# + String(repeating: "[", count: 30) + String(repeating: "]", count: 31)
        ),
        ("click_id.malformed", #""clickId":\#(nested(100_000))"#),
        ("user_agent.malformed", #""user_agent":{"a":\#(nested(100_000))}"#),
        ("client_ip.malformed", #""clientIp":{"v4":"10.1.1.1"}"#),
        ("converted_at.malformed", #""convertedAt":"+275760-09-13T00:00:00.000Z""#),
        ("converted_at.malformed", #""convertedAt":1795248000.5"#),
        ("converted_at.malformed", #""convertedAt":"yesterday","clickId":true"#),
        // The time is there, although it is not the first that cannot be read, and the record has no timestamp.
        ("muid.malformed", #""muid":5,"convertedAt":"yesterday""#),
        ("device_id.malformed", #""deviceId":354649050046412"#),
        ("muid.malformed", #""muid":[null]"#),
        ("value.malformed", #""conversionType":"MOBILEAPP_COST","value":49.9"#),
        ("value.malformed", #""conversionType":"MOBILEAPP_COST","value":"99999999999999999999""#),
    ]

    @Test(arguments: illegible.indices)
    func refusesWhatAPhoneMadeIllegible(row: Int) {
        let (code, fields) = Self.illegible[row]
        let fault = #expect(throws: Activation.Fault.self) {
            try Activation(decoding: Self.record(fields))
        }
        guard case .refused(let reason, let answer) = fault else {
            Issue.record("\(String(describing: fault)) in row \(row)")
            return
        }
        #expect(reason.code == code)
        #expect(answer?.account == GDTAccount(appID: 112_233, advertiserID: 10_000))
    }

    @Test(arguments: [
        ("field.wrong_type", #""appType":5"#), ("field.wrong_type", #""clickId":5,"appId":true"#),
        ("app_type.unknown", #""clickId":5,"appType":"WINDOWS""#),
        ("value.not_a_payment", #""clickId":5,"value":1"#),
        ("value.not_json", #""clickId":5,"#),
    ])
    func blamesThePublisherForTheFieldsThatAreItsOwn(code: String, fields: String) {
        let fault = #expect(throws: Activation.Fault.self) {
            try Activation(decoding: Self.record(fields))
        }
        guard case .record(let record) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(record.reason.code == code)
    }

    /// Some serialisers do not check the texts that they write.
    @Test(arguments: [
        ("deviceId", 5, "device_id.malformed"), ("muid", 6, "muid.malformed"),
        ("clientIp", 8, "client_ip.malformed"), ("click_id", 9, "click_id.malformed"),
        ("hashOaid", 12, "hash_oaid.malformed"), ("hashAndroidId", 13, "hash_android_id.malformed"),
        ("caid", 14, "caid.malformed"), ("caidVersion", 15, "caid.malformed"),
        ("userAgent", 16, "user_agent.malformed"), ("callback", 20, "callback.malformed"),
    ])
    func refusesATextOfAPhoneThatIsNotUTF8(name: String, number: Int, code: String) throws {
        let draft = ActivationDraft()
        let (json, protobuf) = (try draft.json, try draft.protobuf)
        let frame: [UInt8] = [0, 0, 0, 0, 7, 0]
        for value in [
            json.adding(illegible: name), protobuf.adding(illegible: number),
            frame + protobuf.adding(illegible: number),
        ] {
            let fault = #expect(throws: Activation.Fault.self) {
                try Activation(decoding: ActivationDraft.record(value))
            }
            guard case .refused(let reason, let answer) = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect(reason.code == code)
            #expect(answer?.account == GDTAccount(appID: 112_233, advertiserID: 10_000))
        }
    }

    /// A text of the publisher's own is not hidden by one of a phone.
    @Test func aTextOfThePublisherThatIsNotUTF8MakesADeadLetter() throws {
        let draft = ActivationDraft()
        let json = try draft.json.adding(illegible: "clickId").adding(illegible: "appType")
        let protobuf = try draft.protobuf.adding(illegible: 9).adding(illegible: 3)
        for (value, code) in [(json, "value.not_json"), (protobuf, "value.not_protobuf")] {
            let fault = #expect(throws: Activation.Fault.self) {
                try Activation(decoding: ActivationDraft.record(value))
            }
            guard case .record(.undecodable(let reason)) = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect(reason.code == code)
        }
    }

    /// Only a phone's texts can be as long.
    @Test func refusesARecordOfMegabytes() throws {
        let draft = ActivationDraft { $0.userAgent = String(repeating: "a", count: RecordPayload.bytesLimit) }
        for value in [try draft.json, try draft.protobuf] {
            let fault = #expect(throws: Activation.Fault.self) {
                try Activation(decoding: ActivationDraft.record(value))
            }
            guard case .refused(let reason, nil) = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect(reason.code == "value.too_large")
        }
    }

    /// A good record, with these fields instead of its own.
    private static func record(_ fields: String) -> InboundRecord {
        let good = [
            ("appId", "112233"), ("advertiserId", "10000"), ("appType", #""IOS""#),
            ("conversionType", #""MOBILEAPP_ACTIVITE""#), ("convertedAt", #""2026-11-21T08:00:00Z""#),
            ("deviceId", #""1E2DFA89-496A-47FD-9941-DF1FC4E6484A""#),
        ]
        let rest = good.filter { name, _ in
            !fields.contains("\"\(name)\"") && !(name == "deviceId" && fields.contains("muid"))
        }
        let text = "{" + rest.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + ",\(fields)}"
        return InboundRecord(topic: "activation", partition: 0, offset: 7, value: Array(text.utf8))
    }

    @Test(arguments: [
        ("IOS", "1E2DFA89-496A-47FD-9941-DF1FC4E6484A", "40c7084b4845eebce9d07b8a18a055fc"),
        ("ios", " 1e2dfa89-496a-47fd-9941-df1fc4e6484a\n", "40c7084b4845eebce9d07b8a18a055fc"),
        ("ANDROID", "354649050046412", "b496ec1169770ea274a2b4f42ca4fb71"),
        ("android", "862980037785524", "632643ae0b261f428937cd26fff84ebc"),
        ("UnionAndroid", "862052034761765", "120f594f88bce9ada0e0b36ffce5f7f9"),
    ])
    func derivesTheMUID(appType: String, deviceID: String, muid: String) throws {
        let activation = try ActivationDraft { ($0.appType, $0.deviceID) = (appType, deviceID) }.activation()
        #expect(Self.text(activation.muid.text) == muid)
        #expect(activation.appType.rawValue == appType.uppercased())
    }

    @Test(arguments: ["35464905004641", "3546490500464123", "A0000012345678", "a0000012345678f"])
    func takesIMEIsAndMEIDs(deviceID: String) throws {
        let activation = try ActivationDraft { ($0.appType, $0.deviceID) = ("ANDROID", deviceID) }
            .activation()
        #expect(activation.muid.text == Digest.md5.hexadecimal(Array(deviceID.lowercased().utf8)))
    }

    @Test func takesADigest() throws {
        let digest = "0f074dc8e1f0547310e729032ac0730b"
        let activation = try ActivationDraft { ($0.deviceID, $0.muid) = ("", digest) }.activation()
        #expect(Self.text(activation.muid.text) == digest)
    }

    /// An id of zeros stands for none, beside a good one too.
    @Test func takesADeviceByItsOtherIDsAlone() throws {
        let activation = try ActivationDraft {
            $0.deviceID = ""
            $0.hashOaid = "9f89c84a559f573636a47ff8daed0d33"
            $0.hashAndroidID = "b496ec1169770ea274a2b4f42ca4fb71"
            $0.userAgent = String(repeating: "a", count: 1_025)
        }.activation()
        #expect(!activation.hasMUID && activation.ids.hashOAID == nil && activation.userAgent == nil)
        #expect(Self.text(activation.muid.text) == "b496ec1169770ea274a2b4f42ca4fb71")
        let read = try Activation(decoding: ActivationDraft.record(activation.json))
        #expect(read == activation)
    }

    /// Apps on Android are told no IMEI any more, and some SDKs give zeros in its place. On iOS they say that tracking is denied.
    @Test(arguments: ["000000000000000", "  ", ""], ["", "d41d8cd98f00b204e9800998ecf8427e"])
    func anIMEIThatStandsForNoneHidesNoOtherID(deviceID: String, muid: String) throws {
        let activation = try ActivationDraft {
            ($0.appType, $0.deviceID, $0.muid) = ("ANDROID", muid.isEmpty ? deviceID : "", muid)
            $0.hashOaid = "83e9158a4fb54c0e1ef0b238639a23ae"
        }.activation()
        #expect(!activation.hasMUID)
        #expect(Self.text(activation.muid.text) == "83e9158a4fb54c0e1ef0b238639a23ae")
    }

    @Test func writesEverythingThatItReads() throws {
        let activation = try ActivationDraft {
            $0.hashOaid = "83e9158a4fb54c0e1ef0b238639a23ae"
            ($0.caid, $0.caidVersion, $0.userAgent, $0.callback) = ("507b36cb", "1005", "Mozilla/5.0", "http")
        }.activation()
        #expect(activation.hasMUID && activation.ids.caid?.version == "1005" && activation.callback == "http")
        #expect(try Activation(decoding: ActivationDraft.record(activation.json)) == activation)
    }

    @Test(arguments: ConversionType.allCases)
    func takesEveryConversionType(type: ConversionType) throws {
        #expect(try ActivationDraft { $0.conversionType = type.rawValue }.activation().conversionType == type)
    }

    @Test func dropsFractionsOfASecondAndEmptyTexts() throws {
        let activation = try ActivationDraft {
            $0.convertedAt.nanos = 999_999_999
            $0.clientIp = ""
            $0.clickID = ""
        }.activation()
        #expect(activation.convertedAt == 1_795_248_000)
        #expect(activation.clientIP == nil)
        #expect(activation.clickID == nil)
    }

    @Test(arguments: [Int64(0), 4_990, .max])
    func takesTheValueOfAPayment(value: Int64) throws {
        let activation = try ActivationDraft { ($0.conversionType, $0.value) = ("MOBILEAPP_COST", value) }
            .activation()
        #expect(activation.value == value)
    }

    @Test(
        arguments: [
            (604_800_000, nil), (604_800_001, "converted_at.too_old"), (-300_000, nil),
            (-300_001, "converted_at.in_future"), (0, nil),
            (.max - 2_000_000_000_000, "converted_at.too_old"),
        ] as [(Int64, String?)]
    )
    func looksAtTheWindow(age: Int64, code: String?) {
        let convertedAt: Int64 = 1_795_248_000
        let now = convertedAt * 1_000 + age
        #expect(ConversionWindow().objection(to: convertedAt, now: now...now)?.code == code)
    }

    /// A clock that is set wrong must not refuse conversions for good.
    @Test func twoClocksHaveToAgreeThatAConversionIsOutsideTheWindow() {
        let convertedAt: Int64 = 1_795_248_000
        let (old, early) = (convertedAt * 1_000 + 700_000_000, convertedAt * 1_000 - 700_000)
        let now = convertedAt * 1_000
        #expect(ConversionWindow().objection(to: convertedAt, now: now...old) == nil)
        #expect(ConversionWindow().objection(to: convertedAt, now: early...now) == nil)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
