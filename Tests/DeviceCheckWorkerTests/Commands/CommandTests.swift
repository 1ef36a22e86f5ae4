import Foundation
import TestMaterial
import Testing
import WorkerTestSupport

/// `plan` and `interpret` as whoever checks a rule by hand runs them.
@Suite struct CommandTests {
    static let now = ["--config", "{settings}", "--now", "1795248001"]
    static let record =
        #"{"op":"query","deviceToken":"AgAAAHRlc3Q=","receivedAt":"2026-11-21T08:00:00Z","requestId":"r-1"}"#

    private static func line(_ row: DeviceCheckDecision, attempt: Int) throws -> String {
        let bits = row.op == "update" ? #","bit0":true,"bit1":false"# : ""
        let record = self.record.replacing(#""query""#, with: "\"\(row.op)\"\(bits)")
        var members: [String: Any] = ["record": try JSONSerialization.jsonObject(with: Data(record.utf8))]
        members["status"] = row.http_status
        members["body"] = row.body
        members["failure"] = row.transport_error
        members["attempt"] = attempt
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    private static func action(_ verdict: NSDictionary) -> String {
        let result = (verdict["result"] as? NSDictionary)?["result"] as? String
        let word = verdict["verdict"] as? String ?? "none"
        return result.map { "\(word) \($0)" } ?? word
    }

    /// The verdicts that a row's action stands for, at the first attempt and at the last.
    private static func expected(_ row: DeviceCheckDecision) -> [Set<String>] {
        switch row.action {
        case "STATE": [["answer state"], ["answer state"]]
        case "NOT_SET": [["answer not_set"], ["answer not_set"]]
        case "DONE": [["answer updated", "answer valid"], ["answer updated", "answer valid"]]
        case "REJECT_TOKEN": [["reject invalid_token"], ["reject invalid_token"]]
        case "CONFIG": [["hold", "call"], ["hold"]]
        case "RETRY", "RETRY_LIMITED": [["retry"], ["reject unavailable", "reject"]]
        default: [[], []]
        }
    }

    /// All rows in one process and in another order: no case leaves a trace in the next.
    @Test func interpretDecidesAsTheVectorsDo() throws {
        let rows = DeviceCheckDecision.all
        let cases = (rows + rows.reversed()).flatMap { row in [(row, 1), (row, 5)] }
        let input = try cases.map { try Self.line($0, attempt: $1) + "\n" }.joined()
        let command = try WorkerCommand(["interpret"] + Self.now, input: Array(input.utf8))
        #expect(command.status == 0 && command.objects.count == cases.count, "\(command.complaints)")
        for ((row, attempt), verdict) in zip(cases, command.objects) {
            let action = Self.action(verdict)
            let expected = Self.expected(row)[attempt == 1 ? 0 : 1]
            #expect(expected.contains(action), "\(row.name) at \(attempt): \(action)")
        }
    }

    /// A worker would drop the older update, and would call the token of a second attempt an old one.
    @Test func aCaseKnowsOfNoOtherCall() throws {
        func update(_ requestedAt: String) -> String {
            let members = #""update","bit0":true,"bit1":false,"requestedAt":"\#(requestedAt)""#
            let record = Self.record.replacing(#""query""#, with: members)
            return #"{"record":\#(record),"status":200}"#
        }
        let refused = #"{"record":\#(Self.record),"status":400,"body":"Bad Device Token","attempt":2}"#
        let lines = [update("2026-11-21T07:59:59Z"), update("2026-11-21T07:59:58Z"), refused]
        let command = try WorkerCommand(
            ["interpret"] + Self.now,
            input: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
        let actions = command.objects.map { Self.action($0) }
        #expect(actions == ["answer updated", "answer updated", "reject invalid_token"])
    }

    @Test func planShowsTheRequestAndMasksWhatIsSecret() throws {
        let masked = try WorkerCommand(["plan"] + Self.now, input: Array(Self.record.utf8))
        let call = try #require(masked.objects.first)
        #expect(call["verdict"] as? String == "call" && call["method"] as? String == "POST")
        #expect(call["url"] as? String == "https://api.devicecheck.apple.com/v1/query_two_bits")
        #expect((call["headers"] as? NSDictionary)?["Authorization"] as? String == "Bearer masked")
        #expect((call["body"] as? String)?.hasPrefix(#"{"device_token":"masked","transaction_id":""#) == true)
        #expect(!masked.output.contains("AgAAAHRlc3Q=") && !masked.output.contains("eyJ"))
        let revealed = try WorkerCommand(["plan", "--reveal"] + Self.now, input: Array(Self.record.utf8))
        #expect(revealed.output.contains("AgAAAHRlc3Q=") && revealed.output.contains("Bearer eyJ"))
        #expect(!revealed.output.contains("PRIVATE KEY"))
    }

    @Test(arguments: [
        ("{", "value.not_json"), ("<html></html>", "value.not_protobuf"), ("[]", "value.not_protobuf"),
        (record.replacing("AgAAAHRlc3Q=", with: "AgAAAHRlc3Q"), "device_token.malformed"),
        (record.replacing("AgAAAHRlc3Q=", with: "AgA_-Q=="), "device_token.malformed"),
        (record.replacing("\"AgAAAHRlc3Q=\"", with: "{}"), "device_token.malformed"),
        (record.replacing("\"query\"", with: "{}"), "field.wrong_type"),
        (record.replacing("query", with: "update"), "bits.missing"),
        (record.replacing("2026-11-21", with: "2026-11-20"), "device_token.too_old"),
    ])
    func planNamesWhatIsWrong(input: String, code: String) throws {
        let command = try WorkerCommand(["plan"] + Self.now, input: Array(input.utf8))
        #expect(
            command.status == 0 && command.objects.first?["reason"] as? String == code,
            "\(command.output)"
        )
    }

    @Test func planMendsABrokenLine() throws {
        let input = Self.record.replacing("AgAAAHRlc3Q=", with: #"AgAA\r\nAHRl c3Q=\n"#)
        let command = try WorkerCommand(["plan", "--reveal"] + Self.now, input: Array(input.utf8))
        #expect(command.output.contains(#"\"device_token\":\"AgAAAHRlc3Q=\""#), "\(command.output)")
    }

    @Test func interpretTellsOfTheSecondCallOfAnUpdate() throws {
        let record = Self.record.replacing(#""query""#, with: #""update","bit1":true"#)
        let command = try WorkerCommand(
            ["interpret", "--record", record, "--status", "200"] + Self.now,
            input: Array(#"{"bit0":true,"bit1":false}"#.utf8)
        )
        let request = try #require(command.objects.first?["request"] as? NSDictionary)
        #expect((request["url"] as? String)?.hasSuffix("/v1/update_two_bits") == true)
        #expect((request["body"] as? String)?.hasSuffix(#""bit0":true,"bit1":true}"#) == true)
        #expect((request["body"] as? String)?.contains("masked") == true)
    }
}
