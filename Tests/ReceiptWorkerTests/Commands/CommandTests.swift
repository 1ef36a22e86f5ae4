import Cryptography
import Foundation
import TestMaterial
import Testing
import WireFormats
import WorkerTestSupport

/// `plan` and `interpret` as whoever checks a rule by hand runs them.
@Suite struct CommandTests {
    private static let now = ["--config", "{settings}", "--now", "1718000000"]

    private static func record() throws -> [String: String] {
        ["bundleId": Case.app, "receiptData": try ReceiptVector.named("subscription").receipt_b64]
    }

    private static let words = [
        "ACCEPT": "answer", "ACCEPT_EXPIRED": "answer", "TRY_SANDBOX": "call", "TRY_PRODUCTION": "call",
        "RETRY": "retry", "RETRY_LIMITED": "retry", "REJECT": "reject", "CONFIG": "hold",
    ]

    private static func line(_ row: StoreDecisionVector, _ record: [String: String], _ place: [String: Any])
        throws
        -> String
    {
        var members: [String: Any] = ["record": record]
        members["status"] = row.http_status
        members["body"] = row.body
        members["headers"] = row.headers
        members["failure"] = row.transport_error.flatMap { ["dns": "resolve", "tls_verify": "tls"][$0] }
        if row.env != "production" { members["host"] = row.env }
        members["visited"] = row.visited
        members.merge(place) { $1 }
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    private static func check(_ rows: [StoreDecisionVector], _ command: WorkerCommand) {
        #expect(command.status == 0, "\(command.complaints)")
        #expect(command.objects.count == rows.count)
        for (row, verdict) in zip(rows, command.objects) {
            #expect(verdict["verdict"] as? String == Self.words[row.action], "\(row.name): \(verdict)")
            guard row.action.hasPrefix("TRY") else { continue }
            let url = (verdict["request"] as? NSDictionary)?["url"] as? String ?? ""
            #expect(url.contains("sandbox") == (row.action == "TRY_SANDBOX"), "\(row.name): \(url)")
        }
    }

    @Test func plansWithoutTellingASecret() throws {
        let record = try JSONSerialization.data(withJSONObject: try Self.record())
        let command = try WorkerCommand(["plan"] + Self.now, input: Array(record) + [0x0A])
        #expect(command.status == 0, "\(command.complaints)")
        let text = command.output
        #expect(text.contains("buy.itunes.apple.com"))
        #expect(!text.contains("s3cret") && !text.contains("MII"))
    }

    /// A record that is settled without a call is shown as `interpret` shows it.
    @Test func plansWhatIsSettledWithoutACall() throws {
        let cut = try ReceiptVector.named("truncated").receipt_b64
        let records = [["receiptData": cut], ["bundleId": "com.example.unheard", "receiptData": cut]]
        let lines = try records.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let command = try WorkerCommand(
            ["plan"] + Self.now,
            input: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
        #expect(command.status == 0, "\(command.complaints)")
        let verdicts = command.objects
        try #require(verdicts.count == 2)
        #expect(
            verdicts[0]["verdict"] as? String == "reject" && verdicts[0]["outcome"] as? String == "rejected"
        )
        let result = try #require(verdicts[0]["result"] as? NSDictionary)
        #expect(result["verdict"] as? String == "invalid" && result["bundleId"] as? String == Case.app)
        #expect(verdicts[1]["outcome"] as? String == "dead_lettered" && verdicts[1]["result"] is NSNull)
    }

    @Test func interpretsTheVectors() throws {
        let rows = StoreDecisionVector.verifyReceipt
        #expect(rows.contains { $0.env == "sandbox" })
        let lines = try rows.map { try Self.line($0, try Self.record(), [:]) }
        let command = try WorkerCommand(
            ["interpret"] + Self.now,
            input: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
        Self.check(rows, command)
    }

    /// All rows but the one whose transaction is three dots. The rows of the sandbox come after production, which took
    /// no token where the row says so.
    @Test func interpretsTheVectorsOfTheServerAPI() throws {
        let rows = StoreDecisionVector.serverAPI.filter { $0.name != "ok" }
        let record = ["bundleId": Case.app, "transactionId": "2000000123456789"]
        let lines = try rows.map { row in
            guard row.env == "sandbox" else { return try Self.line(row, record, [:]) }
            let visited = ["visited": ["production"]]
            let refused: [String: Any] = ["refused": ["production"], "renewed": true]
            return try Self.line(row, record, (row.http_status == 401) ? refused : visited)
        }
        let command = try WorkerCommand(
            ["interpret"] + Self.now,
            settings: SettingsText(
                route: "app_store_server_api",
                app: SettingsText.key,
                apple: ["signed_data_roots: root.der"]
            ),
            files: ["root.der": try #require(Base64.decode(Array(try JWSVector.root.utf8)))],
            input: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
        Self.check(rows, command)
    }

    /// A worker would believe that its secret is wrong only after several receipts, and not after a good answer.
    @Test func aCaseKnowsOfNoOtherCall() throws {
        let record = String(decoding: try JSONEncoder().encode(try Self.record()), as: UTF8.self)
        let bodies = [21004, 21003, 21004, 21000].map { #"{\"status\":\#($0)}"# }
        let lines = bodies.map { #"{"record":\#(record),"status":200,"body":"\#($0)"}"# }
        let command = try WorkerCommand(
            ["interpret"] + Self.now,
            input: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
        let verdicts = command.objects.map { $0["verdict"] as? String }
        #expect(verdicts == ["hold", "reject", "hold", "hold"], "\(command.complaints)")
    }

    @Test func knowsNoOtherHosts() throws {
        let row = try #require(StoreDecisionVector.verifyReceipt.first)
        let lines = try ["host", "visited"].map { name in
            try Self.line(row, try Self.record(), [name: name == "host" ? "moon" : ["moon"]])
        }
        let command = try WorkerCommand(
            ["interpret"] + Self.now,
            input: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
        #expect(command.objects.map { $0["error"] as? String != nil } == [true, true])
    }
}
