import Foundation
import Testing

/// `plan` and `interpret` as whoever checks a rule by hand runs them.
@Suite struct CommandTests {
    private static let now = ["--config", "{settings}", "--now", "1718000000"]

    private static func record() throws -> [String: String] {
        ["bundleId": Case.app, "receiptData": try AppReceiptRow.named("subscription").receipt_b64]
    }

    private static func line(_ row: DecisionRow) throws -> String {
        var members: [String: Any] = ["record": try self.record()]
        members["status"] = row.http_status
        members["body"] = row.body
        members["headers"] = row.headers
        members["failure"] = row.transport_error.flatMap { ["dns": "resolve", "tls_verify": "tls"][$0] }
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    @Test func plansWithoutTellingASecret() throws {
        let record = try JSONSerialization.data(withJSONObject: try Self.record())
        let command = try WorkerCommand(["plan"] + Self.now, input: Array(record) + [0x0A])
        #expect(command.status == 0, "\(command.complaints)")
        let text = command.output
        #expect(text.contains("buy.itunes.apple.com"))
        #expect(!text.contains("s3cret") && !text.contains("MII"))
    }

    /// The rows of production: those of the sandbox come second, after an answer that is not theirs.
    @Test func interpretsTheVectors() throws {
        let rows = DecisionRow.verifyReceipt.filter { $0.env == "production" && $0.visited == nil }
        let lines = try rows.map { try Self.line($0) }.joined(separator: "\n") + "\n"
        let command = try WorkerCommand(["interpret"] + Self.now, input: Array(lines.utf8))
        #expect(command.status == 0, "\(command.complaints)")
        let verdicts = command.objects
        #expect(verdicts.count == rows.count)
        let words = [
            "ACCEPT": "answer", "ACCEPT_EXPIRED": "answer", "TRY_SANDBOX": "call", "RETRY": "retry",
            "RETRY_LIMITED": "retry", "REJECT": "reject", "CONFIG": "hold",
        ]
        for (row, verdict) in zip(rows, verdicts) {
            #expect(verdict["verdict"] as? String == words[row.action], "\(row.name): \(verdict)")
        }
    }
}
