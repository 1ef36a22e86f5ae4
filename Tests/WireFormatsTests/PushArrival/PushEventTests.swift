import Foundation
import Records
import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

@Suite struct PushEventTests {
    typealias Change = @Sendable (inout PushEventDraft.Message) -> Void

    static let digest = String(repeating: "0123456789abcdef", count: 4)

    static let full = #"""
        {"type":"sent","provider":"fcm","messageId":"m-é","campaignId":"c-1","appBundle":"com.example.app",
        "deviceId":"d-1","eventId":"e-1","environment":"development","status":"rejected","reason":"BadDeviceToken",
        "sentMs":"1795248000000","deviceMs":1795248001000,"uploadMs":"1795248001250","serverMs":1795248002250,
        "nseEligible":false,"payloadSha256":"\#(digest.uppercased())","app_build":"1.2","user_id":7}
        """#

    static func decode(
        _ value: [UInt8]?,
        _ headers: [RecordHeader] = [],
        timestamp: Int64? = PushEventDraft.now
    ) throws -> PushEvent {
        try PushEvent(
            decoding: PushEventDraft.record(value, headers, timestamp: timestamp),
            now: PushEventDraft.now
        )
    }

    static func decode(_ text: String) throws -> PushEvent { try Self.decode(Array(text.utf8)) }

    @Test func readsEveryField() throws {
        let event = PushEvent(
            .sent,
            provider: "fcm",
            appBundle: "com.example.app",
            messageID: "m-é",
            campaignID: "c-1",
            deviceID: "d-1",
            eventID: "e-1",
            environment: "development",
            acceptance: .rejected(reason: "BadDeviceToken"),
            sentMS: 1_795_248_000_000,
            deviceMS: 1_795_248_001_000,
            uploadMS: 1_795_248_001_250,
            serverMS: 1_795_248_002_250,
            isEligible: false,
            payloadSHA256: Self.digest
        )
        #expect(try Self.decode(Self.full) == event)
        let snake = Self.full.replacing("Id\"", with: "_id\"").replacing("Ms\"", with: "_ms\"")
            .replacing("appBundle", with: "app_bundle").replacing("nseEligible", with: "nse_eligible")
            .replacing("payloadSha256", with: "payload_sha256")
        #expect(try Self.decode(snake) == event)
    }

    @Test func readsTheSameFromEveryForm() throws {
        let draft = PushEventDraft { $0.payload = #"{"aps":{"alert":"é","mutable-content":1}}"# }
        let expected = try draft.event()
        #expect(expected.isEligible == true && expected.deviceID == "1E2DFA89-496A-47FD-9941-DF1FC4E6484A")
        let cloud = Array(#"{"specversion":"1.0","data":"#.utf8) + (try draft.json) + Array("}".utf8)
        let forms: [(bytes: [UInt8], type: String?)] = [
            (try draft.json, nil), (try draft.json, "application/json"),
            (try draft.protobuf, "application/x-protobuf"),
            ([0, 0, 0, 0, 1, 0] + (try draft.protobuf), nil), ([0, 0, 0, 0, 1] + (try draft.json), nil),
            ([0xEF, 0xBB, 0xBF] + (try draft.json), "application/json"),
            (cloud, "application/cloudevents+json"),
        ]
        for form in forms {
            let headers = form.type.map { [RecordHeader("content-type", $0)] } ?? []
            #expect(try Self.decode(form.bytes, headers) == expected, "\(form)")
        }
    }

    @Test(arguments: PushEvent.Kind.allCases)
    func knowsEveryKind(kind: PushEvent.Kind) throws {
        #expect(try PushEventDraft { $0.type = kind.rawValue }.event().kind == kind)
    }

    @Test func whatIsLeftOutIsStoodInFor() throws {
        let event = try Self.decode(#"{"type":"arrived","deviceId":"d"}"#)
        #expect(event == PushEvent(.arrived, deviceID: "d", serverMS: PushEventDraft.now))
        #expect(event.provider == "apns" && event.environment == "production" && event.isEligible == nil)
        let nulls =
            #"{"type":"arrived","deviceId":"d","messageId":null,"serverMs":null,"nseEligible":null,"payload":null}"#
        #expect(try Self.decode(nulls) == event)
    }

    // MARK: The payload

    static let payload = #"""
        {"aps":{"alert":{"title":"T"},"mutable-content":1},"gcm.message_id":"g-1","google.c.a.c_id":"c-9",
        "google.c.a.ts":"1795247999","google.c.fid":"f-1"}
        """#

    @Test func fillsInFromThePayload() throws {
        let event = try Self.decode(#"{"type":"arrived","payload":\#(Self.payload)}"#)
        #expect(event.provider == "fcm" && event.messageID == "g-1" && event.campaignID == "c-9")
        #expect(event.deviceID == "f-1" && event.sentMS == 1_795_247_999_000 && event.isEligible == true)
        #expect(event.payloadSHA256.utf8.count == 64)
    }

    @Test func believesTheEventMoreThanItsPayload() throws {
        let event = try PushEventDraft {
            $0.payload = Self.payload
            $0.nseEligible = false
            $0.payloadSha256 = Self.digest
        }.event()
        #expect(event.provider == "apns" && event.messageID == "m-1" && event.campaignID == "c-1")
        #expect(event.sentMS == PushEventDraft.sent && event.isEligible == false)
        #expect(event.deviceID == "1E2DFA89-496A-47FD-9941-DF1FC4E6484A")
        // A value that can be computed needs nobody's word for it.
        #expect(event.payloadSHA256 == PushPayload(Array(Self.payload.utf8))?.sha256)
    }

    /// 64-bit ids in an object that stands in the record, beside fields that only the general decoder reads.
    @Test(arguments: ["", #","more":{"a":[1]}"#, #","sentMs":1.795248e12"#, #","eventId":"\u0041""#])
    func keepsEveryDigitOfAnObject(more: String) throws {
        for (written, id) in [
            (#"{"_j_msgid":29273432613945685}"#, "29273432613945685"),
            (#"{ "_j_msgid" : 29273432613945684 }"#, "29273432613945684"),
            (#""{\"_j_msgid\":29273432613945685}""#, "29273432613945685"),
            (#""{\"_j_msgid\":\u002018100287008772329}""#, "18100287008772329"),
        ] {
            let text = #"{"type":"arrived","deviceId":"d","payload":\#(written)\#(more)}"#
            // Also behind the frame of a schema registry, or a mark of byte order.
            for prefix in [[], [0, 0, 0, 0, 1], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
                let event = try Self.decode(prefix + Array(text.utf8))
                #expect(event.messageID == id && event.provider == "jpush")
            }
        }
    }

    @Test func takesTheLastOfSeveralPayloads() throws {
        let texts = [
            (#""payload":{"mid":"1"},"payload":{"mid":"2"}"#, "2"),
            (#""payload":{"mid":"1"},"payload":"{\"mid\":\"2\"}""#, "2"),
            (#""payload":"{\"mid\":\"1\"}","payload":{"mid":"2"}"#, "2"),
            (#""payload":{"mid":"1"},"payload":null"#, ""),
            (#""payload":null,"payload":{"mid":"2"}"#, "2"),
        ]
        for (text, id) in texts {
            for more in ["", #","more":[]"#] {
                let event = try Self.decode(#"{"type":"arrived","deviceId":"d",\#(text)\#(more)}"#)
                #expect(event.messageID == id, "\(text)")
            }
        }
    }

    @Test func readsPayloadsThatNestDeeperThanAnyMessage() throws {
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        for more in ["", #","more":{}"#] {
            let text = #"{"type":"arrived","deviceId":"d","payload":{"mid":"m","x":\#(deep)}\#(more)}"#
            #expect(try Self.decode(text).messageID == "m")
        }
    }

    // MARK: Refusals

    static let refusals: [(code: String, change: Change)] = [
        ("type.unknown", { $0.type = "" }), ("type.unknown", { $0.type = "Arrived" }),
        ("type.unknown", { $0.type = "delivered" }),
        ("provider.too_long", { $0.provider = String(repeating: "p", count: 257) }),
        ("message_id.too_long", { $0.messageID = String(repeating: "m", count: 257) }),
        ("message_id.too_long", { $0.messageID = String(repeating: "m", count: 10_240) }),
        ("message_id.too_long", { $0.messageID = String(repeating: "é", count: 129) }),
        ("campaign_id.too_long", { $0.campaignID = String(repeating: "c", count: 257) }),
        ("app_bundle.too_long", { $0.appBundle = String(repeating: "a", count: 257) }),
        ("device_id.too_long", { $0.deviceID = String(repeating: "d", count: 257) }),
        ("event_id.too_long", { $0.eventID = String(repeating: "e", count: 65) }),
        ("message_id.malformed", { $0.messageID = "m\n1" }),
        ("message_id.malformed", { $0.messageID = "\u{0}" }),
        ("message_id.malformed", { $0.messageID = "a\u{7F}" }),
        ("message_id.malformed", { $0.messageID = "a\u{85}b" }),
        ("provider.malformed", { $0.provider = "a\tb" }), ("campaign_id.malformed", { $0.campaignID = "\r" }),
        ("app_bundle.malformed", { $0.appBundle = "\u{1b}[2J" }),
        ("device_id.malformed", { $0.deviceID = "\u{9F}" }),
        ("event_id.malformed", { $0.eventID = "\u{8}" }),
        ("environment.unknown", { $0.environment = "sandbox" }),
        ("environment.unknown", { $0.environment = "Production" }),
        ("status.unknown", { ($0.type, $0.status) = ("sent", "ok") }),
        ("status.unknown", { ($0.type, $0.status) = ("sent", "Accepted") }),
        ("reason.malformed", { ($0.type, $0.status, $0.reason) = ("sent", "rejected", "a\nb") }),
        ("payload_sha256.malformed", { $0.payloadSha256 = "abc" }),
        ("payload_sha256.malformed", { $0.payloadSha256 = String(repeating: "g", count: 64) }),
        ("payload_sha256.malformed", { $0.payloadSha256 = String(repeating: "a", count: 65) }),
        ("device_id.missing", { $0.deviceID = "" }),
        ("device_id.missing", { ($0.deviceID, $0.payload) = ("", #"{"google.c.fid":7.5}"#) }),
        (
            "device_id.too_long",
            {
                ($0.deviceID, $0.payload) = (
                    "", #"{"google.c.fid":"\#(String(repeating: "f", count: 257))"}"#
                )
            }
        ),
        (
            "message_id.too_long",
            {
                ($0.messageID, $0.payload) = ("", #"{"mid":"\#(String(repeating: "m", count: 257))"}"#)
            }
        ),
        ("message_id.malformed", { ($0.messageID, $0.payload) = ("", #"{"mid":"a\nb"}"#) }),
        ("campaign_id.malformed", { ($0.campaignID, $0.payload) = ("", #"{"cid":"\u0085"}"#) }),
        ("payload.malformed", { $0.payload = "x" }), ("payload.malformed", { $0.payload = "[]" }),
        ("payload.malformed", { $0.payload = "null" }), ("payload.malformed", { $0.payload = #""{}""# }),
        ("payload.malformed", { $0.payload = #"{"a":1"# }), ("payload.malformed", { $0.payload = " " }),
        (
            "payload.malformed",
            {
                $0.payload =
                    #"{"a":\#(String(repeating: "[", count: 64))\#(String(repeating: "]", count: 64))}"#
            }
        ),
        ("payload.too_large", { $0.payload = #"{"a":"\#(String(repeating: "x", count: 8_185))"}"# }),
    ]

    @Test(arguments: refusals.indices)
    func refuses(index: Int) throws {
        let (code, change) = Self.refusals[index]
        let draft = PushEventDraft(change)
        let refusal = try #require(try draft.refusal(), "\(code)")
        #expect(refusal.reason.code == code)
        #expect(throws: PushEvent.Fault.refused(refusal.reason, refusal.header)) {
            try Self.decode(try draft.json)
        }
    }

    @Test func takesWhatIsJustShortEnough() throws {
        let event = try PushEventDraft {
            $0.messageID = String(repeating: "m", count: 256)
            $0.deviceID = String(repeating: "é", count: 128)
            $0.eventID = String(repeating: "e", count: 64)
            $0.payload = #"{"a":"\#(String(repeating: "x", count: 8_184))"}"#
        }.event()
        #expect(event.messageID.utf8.count == 256 && event.deviceID.utf8.count == 256)
    }

    /// U+00A0 and what is above it are two bytes of which the first is that of the C1 controls.
    @Test(arguments: ["é", "\u{A0}", "日本", "😀", "a b", "0:153%x", "a/b#c"])
    func takesAnyOtherCharacter(id: String) throws {
        #expect(try PushEventDraft { ($0.messageID, $0.deviceID) = (id, id) }.event().messageID == id)
    }

    @Test func saysWhatCouldBeRead() throws {
        let whole = try #require(
            try PushEventDraft {
                ($0.deviceID, $0.provider, $0.messageID) = ("", "", "")
                $0.payload = #"{"_j_msgid":5,"cid":"other"}"#
            }.refusal()
        )
        var expected = PushEventHeader()
        expected.kind = .arrived
        (expected.provider, expected.messageID, expected.campaignID) = ("jpush", "5", "c-1")
        (expected.appBundle, expected.eventID) = ("com.example.app", "e-1")
        expected.environment = "production"
        expected.serverMS = PushEventDraft.sent + 2_250
        #expect(whole.header == expected && whole.reason.code == "device_id.missing")

        let long = String(repeating: "x", count: 10_240)
        let little = try #require(
            try PushEventDraft {
                ($0.type, $0.provider, $0.messageID, $0.deviceID) = (long, long, "m\u{0}", "d-1")
                ($0.environment, $0.payload) = (long, "{")
            }.refusal()
        )
        expected.kind = nil
        (expected.provider, expected.messageID, expected.deviceID) = ("apns", "", "d-1")
        expected.environment = ""
        // The first of many objections.
        #expect(little.header == expected && little.reason.code == "type.unknown")
    }

    /// A value of a payload must show in no reason.
    @Test func quotesNothing() throws {
        let secret = "Zq7-secret"
        let changes: [Change] = [
            { $0.type = secret },
            {
                $0.status = secret; $0.type = "sent"
            }, { $0.environment = secret },
            { $0.messageID = secret + "\n" }, { $0.payload = secret }, { $0.payloadSha256 = secret },
        ]
        for change in changes {
            let refusal = try #require(try PushEventDraft(change).refusal())
            #expect(!"\(refusal)".contains(secret))
        }
    }

    // MARK: Records that cannot be read

    /// These are for a publisher to mend.
    @Test(arguments: [
        ("{", "value.not_json"), ("[]", "value.not_protobuf"), ("{}x", "value.not_json"),
        (#"{"type":"arrived","payload":{"aps":"#, "value.not_json"),
    ])
    func cannotReadTheseRecords(text: String, code: String) throws {
        let fault = #expect(throws: PushEvent.Fault.self) { try Self.decode(text) }
        guard case .record(let record)? = fault else {
            Issue.record("\(text) is a record's fault")
            return
        }
        #expect(record.reason.code == code)
    }

    /// A value that a phone chose never makes a dead letter: a backend that passes a report on as it came has nothing
    /// to mend.
    @Test(arguments: [
        (#"{"type":7,"deviceId":"d"}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":7}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":["d"]}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","messageId":{}}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","serverMs":"soon"}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","serverMs":""}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","serverMs":1.5}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","serverMs":9223372036854775808}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","nseEligible":1}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","nseEligible":"true"}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":7,"payload":{"a":1}}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"\ud800"}"#, "field.wrong_type"),
        (#"{"type":"arrived","payload":"\ud800"}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","deviceMs":1763962605200.5}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","uploadMs":1e400}"#, "field.wrong_type"),
        (#"{"type":"arrived","deviceId":"d","payload":\#(nested(400))}"#, "value.not_json"),
        (#"{"type":"arrived","deviceId":"d","payload":\#(nested(100_000))}"#, "value.not_json"),
        (#"{"type":"arrived","deviceId":"\#(String(repeating: "d", count: 1 << 20))"}"#, "value.too_large"),
    ])
    func refusesWhatADeviceMayHaveWritten(text: String, code: String) throws {
        let fault = #expect(throws: PushEvent.Fault.self) { try Self.decode(text) }
        guard case .refused(let reason, let header)? = fault else {
            Issue.record("\(text.prefix(100)) is refused: \(String(describing: fault))")
            return
        }
        #expect(reason.code == code)
        #expect(header.serverMS == PushEventDraft.now)
    }

    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    /// In JSON and in protobuf alike.
    @Test func refusesTextsThatAreNoUTF8() {
        let json = Array(#"{"type":"arrived","deviceId":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        for bytes in [json, [0x0A, 0x01, 0xFF], [0x82, 0x01, 0x02, 0x41, 0xC3]] {
            let fault = #expect(throws: PushEvent.Fault.self) { try Self.decode(bytes) }
            if case .record? = fault { Issue.record("\(bytes) is refused") }
        }
    }

    /// From anywhere in the world, so no dead letters, in whichever form the record is.
    @Test(arguments: ["7", "true", "[]", "[{}]", "1.5"])
    func refusesAPayloadInARecordThatIsNoObject(value: String) throws {
        for more in ["", #","more":{}"#] {
            let fault = #expect(throws: PushEvent.Fault.self) {
                try Self.decode(#"{"type":"arrived","deviceId":"d","payload":\#(value)\#(more)}"#)
            }
            guard case .refused(let reason, _)? = fault else {
                Issue.record("\(value) is refused")
                return
            }
            #expect(reason.code == "payload.malformed")
        }
    }

    @Test(arguments: [nil, [], [0xFF], [0x0A, 0x05, 0x41]])
    func cannotReadTheseBytes(bytes: [UInt8]?) {
        let fault = #expect(throws: PushEvent.Fault.self) { try Self.decode(bytes) }
        if case .refused? = fault { Issue.record("\(bytes ?? []) are a record's fault") }
    }

    // MARK: Acceptance

    @Test(
        arguments: [
            ("sent", "", "", .accepted), ("sent", "accepted", "x", .accepted),
            ("sent", "rejected", "Unregistered", .rejected(reason: "Unregistered")),
            ("sent", "rejected", "", .rejected(reason: "unspecified")),
            (
                "sent", "rejected", String(repeating: "r", count: 65),
                .rejected(reason: String(repeating: "r", count: 64))
            ),
            (
                "sent", "rejected", "a" + String(repeating: "é", count: 40),
                .rejected(reason: "a" + String(repeating: "é", count: 31))
            ),
            (
                "sent", "rejected", "abc" + String(repeating: "😀", count: 20),
                .rejected(reason: "abc" + String(repeating: "😀", count: 15))
            ),
            // Only an event of the kind `sent` has a status; that of any other kind is not looked at.
            ("arrived", "rejected", "x", .accepted), ("opened", "whatever", "a\n", .accepted),
        ] as [(String, String, String, PushEvent.Acceptance)]
    )
    func readsTheStatus(
        type: String,
        status: String,
        reason: String,
        acceptance: PushEvent.Acceptance
    ) throws {
        let event = try PushEventDraft { ($0.type, $0.status, $0.reason) = (type, status, reason) }.event()
        #expect(event.acceptance == acceptance)
        #expect(try Self.decode(event.encoded()) == event)
    }

    // MARK: Times

    static let earliest: Int64 = 1_420_070_400_000
    static let day: Int64 = 86_400_000

    /// The event's own, or else the record's, or else the clock's.
    @Test(
        arguments: [
            (PushEventDraft.sent, 5, PushEventDraft.sent),
            (nil, PushEventDraft.sent + 1, PushEventDraft.sent + 1),
            (nil, nil, PushEventDraft.now), (earliest, nil, earliest), (earliest - 1, earliest, earliest),
            (earliest - 1, earliest - 1, PushEventDraft.now),
            (PushEventDraft.now + day, nil, PushEventDraft.now + day),
            (PushEventDraft.now + day + 1, 5, PushEventDraft.now),
            (PushEventDraft.now + day + 1, PushEventDraft.sent, PushEventDraft.sent),
            (0, nil, PushEventDraft.now),
            (-1, nil, PushEventDraft.now), (.min, .max, PushEventDraft.now), (.max, .min, PushEventDraft.now),
            // 2100, and seconds.
            (4_102_444_800_000, nil, PushEventDraft.now), (1_795_248_000, nil, PushEventDraft.now),
        ] as [(Int64?, Int64?, Int64)]
    )
    func knowsWhenItWasReceived(own: Int64?, timestamp: Int64?, time: Int64) throws {
        let draft = PushEventDraft {
            if let own { $0.serverMs = own } else { $0.clearServerMs() }
        }
        #expect(try draft.event(timestamp: timestamp).serverMS == time)
    }

    @Test(
        arguments: [
            (PushEventDraft.sent, nil, PushEventDraft.sent), (nil, nil, nil), (earliest, nil, earliest),
            (nil, PushEventDraft.sent - 5, PushEventDraft.sent - 5),
            (PushEventDraft.sent, PushEventDraft.sent - 5, PushEventDraft.sent),
            (earliest - 1, nil, nil), (earliest - 1, PushEventDraft.sent - 5, PushEventDraft.sent - 5),
            (-1, nil, nil), (0, nil, nil),
            (PushEventDraft.sent + day, nil, PushEventDraft.sent + day),
            (PushEventDraft.sent + day + 1, nil, nil),
            (nil, PushEventDraft.sent + day + 1, nil), (nil, earliest - 1, nil), (.min, .min, nil),
            (.max, .max, nil),
        ] as [(Int64?, Int64?, Int64?)]
    )
    func knowsWhenItWasSent(own: Int64?, inside: Int64?, time: Int64?) throws {
        let event = try PushEventDraft {
            $0.serverMs = PushEventDraft.sent
            if let own { $0.sentMs = own } else { $0.clearSentMs() }
            $0.payload = inside.map { #"{"st":\#($0)}"# } ?? "{}"
        }.event()
        #expect(event.sentMS == time)
    }

    /// The worker uses only differences of a device's clock: 1970, 2100 and worse are right.
    @Test(arguments: [0, -1, 4_102_444_800_000, .min, .max] as [Int64])
    func takesTheDevicesTimesAsTheyAre(time: Int64) throws {
        let event = try PushEventDraft { ($0.deviceMs, $0.uploadMs) = (time, time) }.event()
        #expect(event.deviceMS == time && event.uploadMS == time)
    }

    // MARK: Handing it on

    @Test func isReadAgainAsItWasHandedOn() throws {
        var events = [try Self.decode(Self.full), try PushEventDraft().event()]
        events.append(try Self.decode(#"{"type":"arrived","payload":\#(Self.payload)}"#))
        events.append(try Self.decode(#"{"type":"opened","deviceId":"d"}"#))
        for kind in PushEvent.Kind.allCases {
            events.append(try PushEventDraft { ($0.type, $0.nseEligible) = (kind.rawValue, true) }.event())
        }
        events.append(
            try PushEventDraft { ($0.deviceMs, $0.uploadMs, $0.sentMs) = (.min, .max, 0) }.event()
        )
        events.append(try PushEventDraft { ($0.deviceMs, $0.uploadMs) = (0, 0) }.event())
        for event in events {
            // No time of the second record matters.
            #expect(try Self.decode(event.encoded(), timestamp: nil) == event)
            let message = try PushEventDraft.Message(serializedBytes: event.encoded())
            #expect(message.payload.isEmpty && message.encoded() == event.encoded())
        }
    }

    // MARK: Apps

    @Test(arguments: [
        ("com.example.app", "com.example.app"), ("com.example.app.Extension", "com.example.app"),
        ("com.example.app.a.b", "com.example.app.a.b"), ("com.example", "com.example"),
        ("com.example.other.x", "com.example.other.x"),
        ("com.example.app.Widget", "com.example.app.Widget"), ("", ""), (".", "."), ("com", "com"),
        ("com.example.app.", "com.example.app"),
    ])
    func knowsTheAppOfAnExtension(bundleID: String, app: String) {
        let apps = PushApps(["com.example.app", "com.example.app.Widget"])
        #expect(apps.app(of: bundleID) == app)
        #expect(PushApps().app(of: bundleID) == bundleID)
    }
}
