import Foundation
import Records
import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

/// A message of the topic `devicecheck` in the making: a good one, and what a test changes about it.
struct DeviceCheckDraft {
    typealias Message = Flotilla_Devicecheck_V1_DeviceCheck

    var message = Message()

    init(_ change: (inout Message) -> Void = { _ in }) {
        self.message.op = "query"
        self.message.teamID = "TEAMID1234"
        self.message.deviceToken = "AgAAAHRlc3Q="
        self.message.tokenCreatedAt = Google_Protobuf_Timestamp(seconds: 1_795_248_000)
        self.message.receivedAt = Google_Protobuf_Timestamp(seconds: 1_795_248_001)
        change(&self.message)
    }

    var json: [UInt8] {
        get throws { try self.message.jsonUTF8Bytes() }
    }

    var protobuf: [UInt8] {
        get throws { try self.message.serializedBytes() }
    }

    func check() throws -> DeviceCheck { try DeviceCheck(decoding: Self.record(try self.protobuf)) }

    static func record(_ value: [UInt8]?, _ headers: [RecordHeader] = [], key: String? = "k") -> InboundRecord
    {
        InboundRecord(
            topic: "devicecheck",
            partition: 3,
            offset: 42,
            timestamp: 1_795_248_002_000,
            key: key.map { Array($0.utf8) },
            value: value,
            headers: headers
        )
    }
}

@Suite struct DeviceCheckTests {
    static let full = #"""
        {"op":"update","teamId":"TEAMID1234","environment":"development","deviceToken":"AgAA AHRl\r\nc3Q=\n",
        "tokenCreatedAt":"2026-11-21T08:00:00.250Z","receivedAt":"2026-11-21T08:00:01Z",
        "requestedAt":"2026-11-21T08:00:00.500Z","bit0":true,"bit1":false,"subject":"account-7",
        "requestId":"r-1","bundleId":"com.example.app","unknown":{"a":[1]}}
        """#

    @Test func readsEveryField() throws {
        let check = try DeviceCheck(decoding: DeviceCheckDraft.record(Array(Self.full.utf8)))
        #expect(check.demand == .update(BitChange(bit0: true, bit1: false)))
        // White space is what base64 encoders add, and Apple refuses.
        #expect(check.token.text == Array("AgAAAHRlc3Q=".utf8))
        #expect(check.tokenCreatedAt == 1_795_248_000_250)
        #expect(check.receivedAt == 1_795_248_001_000)
        #expect(check.requestedAt == 1_795_248_000_500)
        #expect(check.subject == Array("account-7".utf8))
        #expect(check.recordID == "devicecheck/3/42")
        let header = DeviceCheckHeader(
            operation: .update,
            environment: .development,
            teamID: "TEAMID1234",
            bundleID: "com.example.app",
            requestID: "r-1"
        )
        #expect(check.header == header)
    }

    @Test func readsTheSameFromEveryForm() throws {
        let draft = DeviceCheckDraft { ($0.op, $0.bit1) = ("update", false) }
        let expected = try draft.check()
        #expect(expected.demand == .update(BitChange(bit0: nil, bit1: false)))
        let event = Array(#"{"specversion":"1.0","data":"#.utf8) + (try draft.json) + Array("}".utf8)
        let forms: [(bytes: [UInt8], type: String?)] = [
            (try draft.json, nil), (try draft.json, "application/json"),
            (try draft.protobuf, "application/x-protobuf"),
            ([0, 0, 0, 0, 1, 0] + (try draft.protobuf), nil), ([0, 0, 0, 0, 1] + (try draft.json), nil),
            (event, "application/cloudevents+json"),
        ]
        for form in forms {
            let headers = form.type.map { [RecordHeader("content-type", $0)] } ?? []
            let record = DeviceCheckDraft.record(form.bytes, headers)
            #expect(try DeviceCheck(decoding: record) == expected, "\(form)")
        }
    }

    @Test func whatIsLeftOutIsStoodInFor() throws {
        let check = try DeviceCheckDraft { ($0.environment, $0.teamID) = ("", "") }.check()
        #expect(check.header.environment == .production && check.header.teamID.isEmpty)
        #expect(check.subject == Array("k".utf8))
        #expect(check.requestedAt == 1_795_248_001_000)
        let bare = DeviceCheckDraft {
            $0.clearReceivedAt()
            $0.clearTokenCreatedAt()
        }
        let record = DeviceCheckDraft.record(try bare.protobuf, key: nil)
        let nobody = try DeviceCheck(decoding: record)
        #expect(nobody.subject == nil && nobody.tokenCreatedAt == nil && nobody.receivedAt == nil)
        #expect(nobody.requestedAt == 1_795_248_002_000)
    }

    typealias Change = @Sendable (inout DeviceCheckDraft.Message) -> Void

    static let invalid: [(code: String, change: Change)] = [
        ("op.unknown", { $0.op = "" }), ("op.unknown", { $0.op = "Query" }),
        ("op.unknown", { $0.op = "set" }),
        ("team_id.malformed", { $0.teamID = "TEAMID123" }),
        ("team_id.malformed", { $0.teamID = "TEAMID12345" }),
        ("team_id.malformed", { $0.teamID = "TEAM/D1234" }),
        ("team_id.malformed", { $0.teamID = "TEAMÄD123" }),
        ("bits.missing", { $0.op = "update" }), ("bits.not_an_update", { $0.bit0 = false }),
        ("bits.not_an_update", { ($0.op, $0.bit1) = ("validate", true) }),
        ("received_at.malformed", { $0.receivedAt.seconds = .max }),
        ("received_at.malformed", { $0.receivedAt.seconds = .min }),
        ("requested_at.malformed", { $0.requestedAt.seconds = -1 }),
        ("requested_at.malformed", { ($0.requestedAt.seconds, $0.requestedAt.nanos) = (1_795_248_000, -1) }),
    ]

    @Test(arguments: invalid.indices)
    func namesWhatIsWrong(index: Int) throws {
        let (code, change) = Self.invalid[index]
        let fault = #expect(throws: DeviceCheck.Fault.self) { try DeviceCheckDraft(change).check() }
        guard case .record(.invalid(let reason)) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(reason.code == code)
    }

    static let refused: [(code: String, change: Change)] = [
        ("environment.unknown", { $0.environment = "sandbox" }),
        ("token_created_at.malformed", { $0.tokenCreatedAt.seconds = 999_999_999 }),
        ("token_created_at.malformed", { $0.tokenCreatedAt.seconds = .min }),
        ("token_created_at.malformed", { $0.tokenCreatedAt.nanos = -1 }),
        ("subject.too_long", { $0.subject = String(repeating: "s", count: 257) }),
        ("request_id.too_long", { $0.requestID = String(repeating: "r", count: 257) }),
        ("bundle_id.too_long", { $0.bundleID = String(repeating: "b", count: 257) }),
    ]

    /// A device may send anything: what it chose is no dead letter.
    @Test(arguments: refused.indices)
    func refusesWhatADeviceChose(index: Int) throws {
        let (code, change) = Self.refused[index]
        let fault = #expect(throws: DeviceCheck.Fault.self) {
            try DeviceCheckDraft {
                $0.requestID = "r-1"
                change(&$0)
            }
            .check()
        }
        guard case .refused(let reason, let answer?) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(reason.code == code && answer.result == .unavailable && answer.header.teamID == "TEAMID1234")
        #expect(answer.header.requestID == (code == "request_id.too_long" ? "" : "r-1"))
        #expect((answer.header.environment == nil) == (code == "environment.unknown"))
    }

    /// Some serialisers do not check the texts that they write.
    @Test(arguments: [
        ("environment", 3, "environment.malformed"), ("deviceToken", 4, "device_token.malformed"),
        ("subject", 10, "subject.malformed"), ("request_id", 11, "request_id.malformed"),
        ("bundleId", 12, "bundle_id.malformed"),
    ])
    func refusesATextOfADeviceThatIsNotUTF8(name: String, number: Int, code: String) throws {
        let draft = DeviceCheckDraft { $0.tokenCreatedAt.seconds = .min }
        let json = try DeviceCheckDraft().json
        for value in [json.adding(illegible: name), try draft.protobuf.adding(illegible: number)] {
            let fault = #expect(throws: DeviceCheck.Fault.self) {
                try DeviceCheck(decoding: DeviceCheckDraft.record(value))
            }
            guard case .refused(let reason, let answer?) = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect(reason.code == code && answer.header.teamID == "TEAMID1234")
            #expect(answer.result == (number == 4 ? .invalidToken : .unavailable))
        }
    }

    /// A text of the backend's own is not hidden by one of a device.
    @Test func aTextOfTheBackendThatIsNotUTF8MakesADeadLetter() throws {
        let draft = DeviceCheckDraft()
        let json = try draft.json.adding(illegible: "subject").adding(illegible: "teamId")
        let protobuf = try draft.protobuf.adding(illegible: 10).adding(illegible: 2)
        for (value, code) in [(json, "value.not_json"), (protobuf, "value.not_protobuf")] {
            let fault = #expect(throws: DeviceCheck.Fault.self) {
                try DeviceCheck(decoding: DeviceCheckDraft.record(value))
            }
            guard case .record(.undecodable(let reason)) = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect(reason.code == code)
        }
    }

    @Test func refusesWhatADeviceNestsAsDeepAsItLikes() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let text = Self.full.replacing("\"r-1\"", with: deep)
        let fault = #expect(throws: DeviceCheck.Fault.self) {
            try DeviceCheck(decoding: DeviceCheckDraft.record(Array(text.utf8)))
        }
        guard case .refused(let reason, let answer?) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(reason.code == "request_id.malformed" && answer.result == .unavailable)
        #expect(answer.header.bundleID == "com.example.app" && answer.header.environment == .development)
    }

    /// A decision comes before its record is published.
    @Test func believesNoTimeAfterTheRecords() throws {
        let published = DeviceCheckDraft.record(nil).timestamp
        for (seconds, expected) in [(1_795_248_002, published), (1_795_248_003, nil), (4_070_908_800, nil)] {
            let check = try DeviceCheckDraft { $0.requestedAt.seconds = Int64(seconds) }.check()
            #expect(check.requestedAt == expected)
        }
        let late = try DeviceCheckDraft { $0.receivedAt.seconds = 4_070_908_800 }.check()
        #expect(late.requestedAt == nil && late.receivedAt == 4_070_908_800_000)
    }

    @Test(arguments: [
        ("", "device_token.missing"), (" \r\n", "device_token.missing"),
        ("AgA_-Q==", "device_token.malformed"),
        ("AgAAAHRlc3Q", "device_token.malformed"), ("AgAAAHRlc3Q==", "device_token.malformed"),
        ("AgAAAHRlc3R=", "device_token.malformed"), ("=", "device_token.malformed"),
        ("AgAAAHRlc3Q=AgAA", "device_token.malformed"), ("AgAA%0A", "device_token.malformed"),
        ("\"};DROP", "device_token.malformed"), ("AgAÄ", "device_token.malformed"),
        (String(repeating: "A", count: 16_388), "device_token.too_long"),
        (String(repeating: " ", count: 40_000) + "AAAA", "device_token.too_long"),
    ])
    func refusesWhatCannotBeADeviceToken(token: String, code: String) throws {
        let fault = #expect(throws: DeviceCheck.Fault.self) {
            try DeviceCheckDraft { $0.deviceToken = token }.check()
        }
        guard case .refused(let reason, let answer) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(reason.code == code)
        #expect(answer?.result == .invalidToken && answer?.header.teamID == "TEAMID1234")
        #expect(token.isEmpty || !"\(String(describing: fault))".contains(token))
    }

    @Test func takesTokensOfAnySizeThatTheyHave() throws {
        for size in [1, 2_188, 12_288] {
            let base64 = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }).base64EncodedString()
            let wrapped = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
                .base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
            for text in [base64, wrapped] {
                #expect(try DeviceToken(text).text == Array(base64.utf8))
            }
        }
    }

    @Test(arguments: [
        ("value.not_json", "{"), ("value.not_json", #"{"op":"query"}x"#),
        ("value.not_protobuf", "<html></html>"), ("field.wrong_type", #"{"op":1}"#),
        ("field.wrong_type", #"{"bit0":1}"#), ("field.wrong_type", #"{"bit0":"true"}"#),
        // Without an operation nothing can be said of the device.
        ("field.wrong_type", #"{"deviceToken":["AAAA"]}"#),
        ("field.wrong_type", #"{"receivedAt":1795248000}"#),
        ("value.empty", ""),
    ])
    func saysWhatIsWrongWithAHostileValue(code: String, text: String) {
        let fault = #expect(throws: DeviceCheck.Fault.self) {
            try DeviceCheck(decoding: DeviceCheckDraft.record(Array(text.utf8)))
        }
        guard case .record(let fault) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(fault.reason.code == code)
    }

    @Test func survivesEveryTruncation() throws {
        for length in 0..<Self.full.utf8.count - 1 {
            let record = DeviceCheckDraft.record(Array(Self.full.utf8.prefix(length)))
            #expect(throws: DeviceCheck.Fault.self) { try DeviceCheck(decoding: record) }
        }
    }

    @Test func neverShowsATokenInPassing() throws {
        let check = try DeviceCheckDraft().check()
        var dumped = ""
        dump(check, to: &dumped)
        for text in ["\(check)", String(reflecting: check), dumped] {
            #expect(!text.contains("AgAAAHRl"), "\(text)")
        }
    }
}

@Suite struct DeviceCheckRequestTests {
    @Test func readsAllVectors() { #expect(DeviceCheckRequestRow.all.count == 6) }

    private struct Body: Decodable, Equatable {
        var device_token: String
        var transaction_id: String
        var timestamp: Int64
        var bit0: Bool?
        var bit1: Bool?
    }

    /// A request for a record with a vector's token and bits is one that the vector's rules take, and a token that
    /// could never be one is not sent.
    @Test(arguments: DeviceCheckRequestRow.all)
    func sendsOnlyValidRequests(row: DeviceCheckRequestRow) throws {
        let given = try #require(
            (try JSONSerialization.jsonObject(with: Data(row.request))) as? [String: Any]
        )
        let token = try #require(given["device_token"] as? String)
        guard let stripped = try? DeviceToken(token) else {
            #expect(!row.isValid)
            return
        }
        let request = DeviceCheckRequest(token: stripped, transactionID: "t", timestamp: 1_487_716_472_000)
        let body = try JSONDecoder().decode(Body.self, from: Data(request.body))
        #expect(!body.device_token.contains { $0.isWhitespace })
        #expect(body.device_token == token.filter { !$0.isWhitespace })
        #expect(Data(base64Encoded: body.device_token) != nil)
        #expect(!body.transaction_id.isEmpty && body.timestamp == 1_487_716_472_000)
    }

    @Test func writesThisVeryText() throws {
        var request = DeviceCheckRequest(
            token: try DeviceToken("Ag/+AA=="),
            transactionID: "5b737ca6-a4c7-488e-b928-8452960c4be9",
            timestamp: 1_487_716_472_000
        )
        let query =
            #"{"device_token":"Ag/+AA==","transaction_id":"5b737ca6-a4c7-488e-b928-8452960c4be9","#
            + #""timestamp":1487716472000"#
        #expect(String(decoding: request.body, as: UTF8.self) == query + "}")
        request.bits = DeviceBits(bit0: true, bit1: false)
        #expect(String(decoding: request.body, as: UTF8.self) == query + #","bit0":true,"bit1":false}"#)
    }

    @Test func aTransactionIsNamedByItsRecordAndOperation() {
        let ids = DeviceCheckOperation.allCases.flatMap { operation in
            ["devicecheck/0/1", "devicecheck/0/11", "devicecheck/1/1"].map {
                DeviceCheckRequest.transactionID(of: $0, operation)
            }
        }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            let uuid = UUID(uuidString: id)
            #expect(
                uuid != nil && id == id.lowercased() && Array(id)[14] == "5" && "89ab".contains(Array(id)[19])
            )
        }
        #expect(DeviceCheckRequest.transactionID(of: "devicecheck/0/1", .query) == ids[0])
    }

    /// The example of RFC 9562, appendix A.4.
    @Test func computesUUIDsAsTheStandardDoes() {
        let dns: [UInt8] = [
            0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
        ]
        #expect(UUIDv5.text(of: "www.example.com", in: dns) == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    @Test func aChangeLeavesTheOtherBitAsItIs() {
        let change = BitChange(bit0: true, bit1: nil)
        #expect(change.complete == nil)
        #expect(change.applied(to: DeviceBits(bit0: false, bit1: true)) == DeviceBits(bit0: true, bit1: true))
        #expect(
            change.applied(to: DeviceBits(bit0: true, bit1: false)) == DeviceBits(bit0: true, bit1: false)
        )
        #expect(change.applied(to: nil) == DeviceBits(bit0: true, bit1: false))
        #expect(BitChange(bit0: false, bit1: true).complete == DeviceBits(bit0: false, bit1: true))
    }
}
