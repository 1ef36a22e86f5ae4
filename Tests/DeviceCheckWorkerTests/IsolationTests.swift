import Foundation
import Records
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import DeviceCheckWorker

/// A device chooses its token and its clock, and a publisher may be wrong about the time: neither stops or undoes
/// anything for others.
@Suite struct IsolationTests {
    // MARK: order

    private static func update(_ requestedAt: String?, bit0: Bool = true, timestamp: Int64? = Case.receivedAt)
        -> InboundRecord
    {
        var members: [String: Any] = ["bit0": bit0, "bit1": false]
        members["requestedAt"] = requestedAt
        if requestedAt == nil { members["receivedAt"] = NSNull() }
        var record = Case.record("update", members)
        record.timestamp = timestamp
        return record
    }

    /// One update from the year 2099 used to suppress every later one of its subject, for good.
    @Test(arguments: ["2099-01-01T00:00:00Z", "2026-11-21T08:00:00.001Z"])
    func aTimeInTheFutureSuppressesNothing(future: String) throws {
        let testCase = try Case()
        let first = try testCase.call(Self.update(future)).job
        #expect(Case.text(testCase.verdict(200, "", to: first)) == "answer updated true false")
        for today in ["2026-11-21T07:59:59Z", "2026-11-21T08:00:00Z", future] {
            #expect(Case.text(testCase.plan(Self.update(today, bit0: false))) == "call update", "\(today)")
        }
    }

    /// A time that can be believed keeps its place beside one that cannot.
    @Test func aTimeInTheFutureForgetsNothing() throws {
        let testCase = try Case()
        for time in ["2026-11-21T07:59:59Z", "2099-01-01T00:00:00Z"] {
            let job = try testCase.call(Self.update(time)).job
            #expect(Case.text(testCase.verdict(200, "", to: job)) == "answer updated true false")
        }
        #expect(
            Case.text(testCase.plan(Self.update("2026-11-21T07:59:58Z")))
                == "refuse update.superseded superseded"
        )
    }

    /// Where the producer sets the record's timestamp, that may be wrong too: our own clock bounds it.
    @Test func aTimestampInTheFutureSuppressesNothing() throws {
        let testCase = try Case()
        for requestedAt in ["2098-01-01T00:00:00Z", nil] {
            let record = Self.update(requestedAt, timestamp: 4_073_500_800_000)
            let job = try testCase.call(record).job
            #expect(Case.text(testCase.verdict(200, "", to: job)) == "answer updated true false")
        }
        #expect(Case.text(testCase.plan(Self.update("2026-11-21T08:00:00Z"))) == "call update")
    }

    // MARK: answers about one token

    @Test(arguments: [413, 414, 431]) func aTokenThatIsTooLargeIsAboutOneRecord(status: Int) throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("query")).job
        #expect(Case.text(testCase.verdict(status, to: job)) == "refuse http.\(status) unavailable")
    }

    /// Apple has refused tokens without a word for years: neither a dead letter nor a hold follows.
    @Test func anUnexplainedRefusalHoldsNothing() throws {
        let testCase = try Case()
        for offset in 0..<9 as Range<Int64> {
            let job = try testCase.call(Case.record("query", offset: offset)).job
            #expect(
                Case.text(testCase.verdict(400, "", to: job, number: 3))
                    == "refuse devicecheck.unexplained unavailable"
            )
        }
    }

    /// Our requests are in order while Apple answers others: what it then calls a bad payload is this device's token.
    @Test func aBadPayloadIsOneRecordsWhereOthersAreAnswered() throws {
        let testCase = try Case()
        let first = try testCase.call(Case.record("query")).job
        #expect(
            Case.text(testCase.verdict(400, "Bad Payload", to: first)) == "hold devicecheck.bad_request lane"
        )
        #expect(Case.text(testCase.verdict(200, "Bit State Not Found", to: first)) == "answer not_set")
        let second = try testCase.call(Case.record("query", offset: 43)).job
        #expect(
            Case.text(testCase.verdict(400, "Bad Payload", to: second))
                == "refuse devicecheck.bad_request unavailable"
        )
        // The bits are not the device's.
        let bits = testCase.verdict(400, "Missing or incorrectly formatted bits", to: second)
        #expect(Case.text(bits) == "hold devicecheck.bad_request lane")
    }

    /// A time from the future keeps no record young.
    @Test func aTimeOfArrivalIsBoundedByTheRecords() throws {
        let record = Case.record("query", ["receivedAt": "2099-01-01T00:00:00Z"])
        #expect(
            Case.text(try Case().plan(record, after: .seconds(301)))
                == "refuse device_token.too_old expired_token"
        )
    }

    @Test(arguments: ["validate", "update"]) func aPageBehindAByteOrderMarkIsNoAnswer(op: String) throws {
        let testCase = try Case()
        let bits = op == "update" ? ["bit0": true, "bit1": true] : [:]
        let job = try testCase.call(Case.record(op, bits)).job
        for body in ["\u{FEFF}<html></html>", " \u{FEFF}\r\n<html>"] {
            #expect(
                Case.text(testCase.verdict(200, body, to: job))
                    == "retry devicecheck.not_an_answer upstream"
            )
        }
    }

    // MARK: what a phone chose

    private static let long = String(repeating: "x", count: 257)

    @Test(
        arguments: [
            (["tokenCreatedAt": "1999-01-01T00:00:00Z"], "token_created_at.malformed unavailable"),
            (["tokenCreatedAt": "0001-01-01T00:00:00Z"], "token_created_at.malformed unavailable"),
            (["tokenCreatedAt": "yesterday"], "token_created_at.malformed unavailable"),
            (["tokenCreatedAt": 1_795_248_000_000], "token_created_at.malformed unavailable"),
            (["tokenCreatedAt": 0.5], "token_created_at.malformed unavailable"),
            (["deviceToken": 5], "device_token.malformed invalid_token"),
            (["deviceToken": ["AAAA"]], "device_token.malformed invalid_token"),
            (["deviceToken": "\u{0}"], "device_token.malformed invalid_token"),
            (["environment": "staging"], "environment.unknown unavailable"),
            (["environment": 1], "environment.malformed unavailable"),
            (["requestId": long], "request_id.too_long unavailable"),
            (["bundleId": long], "bundle_id.too_long unavailable"),
            (["subject": long], "subject.too_long unavailable"),
        ] as [([String: any Sendable], String)]
    )
    func isNeverADeadLetter(members: [String: any Sendable], expected: String) throws {
        #expect(Case.text(try Case().plan(Case.record("query", members))) == "refuse \(expected)")
    }

    @Test func aRecordOfMegabytesIsNoDeadLetter() throws {
        let token = String(repeating: "A", count: 2 << 20)
        #expect(
            Case.text(try Case().plan(Case.record("query", ["deviceToken": token])))
                == "refuse value.too_large -"
        )
    }

    @Test(arguments: ["Development", "DEVELOPMENT"])
    func understandsAnEnvironmentInAnyCase(environment: String) throws {
        let call = try Case().call(Case.record("query", ["environment": environment]))
        #expect(call.lane == "TEAMID1234/development")
    }

    /// A backend can mend the fields that it fills in itself.
    @Test(
        arguments: [
            (["op": "set"], "op.unknown"), (["teamId": "?"], "team_id.malformed"),
            (["bit0": 1], "field.wrong_type"), (["receivedAt": "never"], "field.wrong_type"),
            (["requestedAt": "1999-01-01T00:00:00Z"], "requested_at.malformed"),
        ] as [([String: any Sendable], String)]
    )
    func aBackendsMistakeIsADeadLetter(members: [String: any Sendable], code: String) throws {
        #expect(Case.text(try Case().plan(Case.record("query", members))) == "reject \(code) invalid")
    }
}
