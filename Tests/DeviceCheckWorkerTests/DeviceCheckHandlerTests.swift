import Cryptography
import Foundation
import Logging
import Operations
import Records
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import DeviceCheckWorker

@Suite struct DeviceCheckHandlerTests {
    // MARK: plan

    @Test(
        arguments: [
            ("query", [:], "/v1/query_two_bits", nil, nil),
            ("validate", [:], "/v1/validate_device_token", nil, nil),
            ("update", ["bit0": true, "bit1": false], "/v1/update_two_bits", true, false),
            // One bit alone: the other has to be known first.
            ("update", ["bit1": true], "/v1/query_two_bits", nil, nil),
        ] as [(String, [String: Bool], String, Bool?, Bool?)]
    )
    func callsApple(op: String, bits: [String: Bool], path: String, bit0: Bool?, bit1: Bool?) throws {
        let call = try Case().call(Case.record(op, bits))
        #expect(call.request.method == .post)
        #expect(call.request.url == "https://api.devicecheck.apple.com\(path)")
        #expect(call.lane == "TEAMID1234/production")
        #expect(call.isPerishable && !call.isSecondTry)
        let body = Case.body(of: call.request)
        #expect(body["device_token"] as? String == Case.deviceToken)
        #expect(body["timestamp"] as? Int64 == Case.receivedAt + 1_000)
        #expect((body["transaction_id"] as? String).flatMap { UUID(uuidString: $0) } != nil)
        #expect(body["bit0"] as? Bool == bit0 && body["bit1"] as? Bool == bit1)
        #expect(Case.token(of: call.request)?.hasPrefix("Bearer eyJ") == true)
    }

    @Test func asksTheEnvironmentThatTheRecordNames() throws {
        let record = Case.record("query", ["environment": "development", "teamId": Case.team])
        let call = try Case().call(record)
        #expect(call.request.url.hasPrefix("https://api.development.devicecheck.apple.com/v1/"))
        #expect(call.lane == "TEAMID1234/development")
        let elsewhere = try Case { $0.hosts[.development] = try? BaseURL("http://127.0.0.1:8080/x/") }.call(
            record
        )
        #expect(elsewhere.request.url == "http://127.0.0.1:8080/x/v1/query_two_bits")
    }

    /// The time is that of the attempt, and the transaction that of the record.
    @Test func everyAttemptHasItsOwnTimeAndTheSameTransaction() throws {
        let testCase = try Case()
        let bodies = try (1...4).map { number in
            let record = Case.record("query")
            return Case.body(
                of: try testCase.call(record, number: number, after: .seconds(number)).request
            )
        }
        #expect(Set(bodies.compactMap { $0["timestamp"] as? Int64 }).count == 4)
        #expect(Set(bodies.compactMap { $0["transaction_id"] as? String }).count == 1)
        let other = Case.body(of: try testCase.call(Case.record("query", offset: 43)).request)
        #expect(other["transaction_id"] as? String != bodies[0]["transaction_id"] as? String)
    }

    @Test(
        arguments: [
            (["op": "set"], "reject op.unknown invalid"), (["bit0": 1], "reject field.wrong_type invalid"),
            (["teamId": "OTHERTEAM1"], "reject configuration.unknown_team invalid"),
            (["deviceToken": ""], "refuse device_token.missing invalid_token"),
            (["deviceToken": "AgA_-Q=="], "refuse device_token.malformed invalid_token"),
        ] as [([String: any Sendable], String)]
    )
    func rejectsWhatCannotBeAsked(members: [String: any Sendable], expected: String) throws {
        let plan = try Case().plan(Case.record("query", members))
        #expect(Case.text(plan) == expected)
        if case .reject(let rejection) = plan { #expect(!rejection.suggestsConfigurationFault) }
    }

    @Test func aTeamIsNamedWhereThereAreSeveral() throws {
        let signer = try ES256Signer(pem: Array(Case.otherKey.utf8))
        let second = DeviceCheckSettings.Team(id: "OTHERTEAM1", keyID: "OTHERKEY01", signer: signer)
        let testCase = try Case { $0.teams.append(second) }
        #expect(Case.text(testCase.plan(Case.record("query"))) == "reject configuration.unknown_team invalid")
        let call = try testCase.call(Case.record("query", ["teamId": "OTHERTEAM1"]))
        #expect(call.lane == "OTHERTEAM1/production")
    }

    /// Lag gives expired tokens without a call, and never an accusation.
    @Test(arguments: [
        (1, 300, "call query"), (1, 301, "refuse device_token.too_old expired_token"),
        (2, 30, "call query"), (2, 31, "refuse device_token.too_late unavailable"),
        (2, 3_000, "refuse device_token.too_late unavailable"),
    ])
    func asksOnlyWhileItMakesSense(number: Int, seconds: Int, expected: String) throws {
        let plan = try Case().plan(Case.record("query"), number: number, after: .seconds(seconds))
        #expect(Case.text(plan) == expected)
    }

    /// The device's own clock may be years off: it can excuse a device, and neither accuse nor silence one.
    @Test(arguments: [
        ("1999-01-01T00:00:00Z", "refuse token_created_at.malformed unavailable"),
        ("2019-01-01T00:00:00Z", "call query"), ("2031-01-01T00:00:00Z", "call query"),
    ])
    func aDevicesClockDoesNotDecideWhetherToAsk(createdAt: String, expected: String) throws {
        let plan = try Case().plan(Case.record("query", ["tokenCreatedAt": createdAt]))
        #expect(Case.text(plan) == expected)
    }

    // MARK: interpret

    @Test(arguments: [
        (
            "query", 200, #"{"bit0":true,"bit1":false,"last_update_time":"2026-06"}"#,
            "answer state true false"
        ),
        ("query", 200, "Failed to find bit state", "answer not_set"),
        ("validate", 200, "", "answer valid"),
        ("query", 400, "Bad Device Token", "refuse device_token.invalid invalid_token"),
        ("validate", 400, "Bad Device Token", "refuse device_token.invalid invalid_token"),
        (
            "query", 400, "Missing or badly formatted authorization token",
            "hold devicecheck.bad_authorization lane"
        ),
        ("query", 400, "Bad Timestamp", "call query again"),
        ("query", 400, "Bad Payload", "hold devicecheck.bad_request lane"),
        ("query", 400, "", "retry devicecheck.unexplained record"),
        ("query", 401, "", "call query again"), ("query", 403, "", "hold http.403 lane"),
        ("query", 404, "", "hold http.404 lane"), ("query", 405, "", "hold http.405 lane"),
        ("query", 407, "", "hold http.407 upstream"), ("query", 302, "", "hold http.302 lane"),
        ("query", 500, "", "retry http.500 upstream"), ("query", 999, "", "retry http.other upstream"),
        ("query", 200, "", "retry devicecheck.not_an_answer upstream"),
        ("query", 200, "<html></html>", "retry devicecheck.not_an_answer upstream"),
        ("validate", 200, "<html></html>", "retry devicecheck.not_an_answer upstream"),
    ])
    func readsWhatAppleMeans(op: String, status: Int, body: String, expected: String) throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record(op)).job
        #expect(Case.text(testCase.verdict(status, body, to: job)) == expected)
    }

    @Test func anAnswerCarriesWhatIsKnown() throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("query", ["bundleId": "com.example.app"])).job
        let verdict = testCase.verdict(
            200,
            #"{"bit0":false,"bit1":true,"last_update_time":"2026-06"}"#,
            [HTTPHeader("X-Apple-Request-UUID", "0a-b"), HTTPHeader("x-b3-traceid", "77")],
            to: job
        )
        guard case .answer(let answer) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        var expected = DeviceCheckAnswer(
            .state,
            DeviceCheckHeader(
                operation: .query,
                environment: .production,
                teamID: Case.team,
                bundleID: "com.example.app",
                requestID: "r-1"
            ),
            bits: DeviceBits(bit0: false, bit1: true),
            lastUpdateMonth: "2026-06"
        )
        (expected.tokenAge, expected.httpStatus, expected.appleRequestID) = (1_000, 200, "0a-b")
        #expect(answer == expected)
    }

    /// The worst that a queue can do is to make honest devices look like forgers.
    @Test(
        arguments: [
            (30, nil, 0, "refuse device_token.invalid invalid_token"),
            (31, nil, 0, "refuse device_token.expired expired_token"),
            (250, nil, 0, "refuse device_token.expired expired_token"),
            // A device whose clock is behind may have made its token just now, or long ago.
            (1, "2026-11-21T07:59:00Z", 0, "refuse device_token.expired expired_token"),
            (1, "2026-11-21T08:10:00Z", 0, "refuse device_token.invalid invalid_token"),
            // A call that nobody knows the answer of may have used the token up.
            (1, nil, 1, "refuse device_token.expired expired_token"),
        ] as [(Int, String?, Int, String)]
    )
    func onlyAFreshTokenIsCalledInvalid(seconds: Int, createdAt: String?, ambiguous: Int, expected: String)
        throws
    {
        let testCase = try Case()
        let more: [String: Any] = createdAt.map { ["tokenCreatedAt": $0] } ?? [:]
        let job = try testCase.call(Case.record("query", more)).job
        let verdict = testCase.verdict(
            400,
            "Missing or incorrectly formatted device token payload",
            to: job,
            after: .seconds(seconds),
            ambiguous: ambiguous
        )
        #expect(Case.text(verdict) == expected)
    }

    @Test func nobodyIsAccusedWhereNothingTellsTheAge() throws {
        let testCase = try Case()
        var record = Case.record("query", ["receivedAt": NSNull()])
        record.timestamp = nil
        let job = try testCase.call(record).job
        let verdict = testCase.verdict(400, "Bad Device Token", to: job)
        #expect(Case.text(verdict) == "refuse device_token.expired expired_token")
    }

    // MARK: retries

    @Test(arguments: [
        (503, [], 1, 1, "retry http.503 upstream"), (503, [], 4, 1, "retry http.503 upstream"),
        (503, [], 5, 1, "give up http.503 unavailable"),
        // The next call would be later than the token is good.
        (503, [], 1, 29, "retry http.503 upstream"), (503, [], 1, 30, "give up http.503 unavailable"),
        (503, [], 4, 29, "give up http.503 unavailable"),
        (429, ["3"], 1, 1, "retry http.429 upstream after 3 gate"),
        (429, ["29"], 1, 1, "retry http.429 upstream after 29 gate"),
        (429, ["30"], 1, 1, "give up http.429 unavailable"),
        (500, ["3"], 1, 1, "retry http.500 upstream after 3"),
        (200, [], 5, 1, "give up devicecheck.not_an_answer unavailable"),
        (400, [], 2, 1, "retry devicecheck.unexplained record"),
        (400, [], 3, 1, "refuse devicecheck.unexplained unavailable"),
        (400, [], 1, 31, "refuse devicecheck.unexplained unavailable"),
    ])
    func triesAgainOnlyWhileTheTokenIsGood(
        status: Int,
        retryAfter: [String],
        number: Int,
        seconds: Int,
        expected: String
    ) throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("query")).job
        let verdict = testCase.verdict(
            status,
            "",
            retryAfter.map { HTTPHeader("retry-after", $0) },
            to: job,
            number: number,
            after: .seconds(seconds)
        )
        #expect(Case.text(verdict) == expected)
    }

    /// Giving up tells everybody to wait all the same.
    @Test func givingUpKeepsTheGate() throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("query")).job
        guard
            case .giveUp(let retry, _) = testCase.verdict(429, "", [HTTPHeader("retry-after", "60")], to: job)
        else {
            Issue.record("not given up")
            return
        }
        #expect(retry.gatesUpstream && retry.after == .seconds(60))
    }

    @Test(arguments: TransferError.Kind.allCases.filter { $0 != .tls })
    func aBrokenTransferSaysNothingOfBits(kind: TransferError.Kind) throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("update", ["bit0": true, "bit1": true])).job
        for (number, word) in [(1, "retry"), (5, "give up")] {
            for sent in [true, false] {
                let error = TransferError(kind: kind, mayHaveBeenSent: sent, message: "m")
                let attempt = Attempt(number: number, now: Case.receivedAt + 1_000)
                let exchange: Exchange = sent ? .ambiguous(error) : .failure(error)
                let verdict = Case.text(testCase.verdict(on: exchange, to: job, attempt))
                #expect(verdict.hasPrefix("\(word) transport.\(kind.rawValue)\(sent ? "_after_send" : "")"))
            }
        }
    }

    // MARK: updates

    @Test(arguments: [
        (#"{"bit0":false,"bit1":true}"#, true, true), (#"{"bit0":true,"bit1":false}"#, true, false),
        ("Failed to find bit state", true, false),
    ])
    func anUpdateOfOneBitLeavesTheOther(state: String, bit0: Bool, bit1: Bool) throws {
        let testCase = try Case()
        let first = try testCase.call(Case.record("update", ["bit0": true]))
        let verdict = testCase.verdict(200, state, to: first.job, after: .seconds(2))
        guard case .call(let second) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(second.isPerishable && !second.isSecondTry && second.lane == first.lane)
        #expect(second.request.url.hasSuffix("/v1/update_two_bits"))
        let body = Case.body(of: second.request)
        #expect(body["bit0"] as? Bool == bit0 && body["bit1"] as? Bool == bit1)
        #expect(body["timestamp"] as? Int64 == Case.receivedAt + 2_000)
        let transactions = [first, second].map { Case.body(of: $0.request)["transaction_id"] as? String }
        #expect(transactions[0] != transactions[1])
        #expect(
            Case.text(testCase.verdict(200, "", to: second.job, number: 2))
                == "answer updated \(bit0) \(bit1)"
        )
        // The token was good a moment ago: Apple does not like it used twice.
        let refused = testCase.verdict(400, "Bad Device Token", to: second.job, number: 2)
        #expect(Case.text(refused) == "refuse device_token.expired expired_token")
        #expect(Case.text(testCase.verdict(500, to: second.job, number: 5)) == "retry http.500 upstream")
        #expect(Case.text(testCase.verdict(500, to: second.job, number: 6)) == "give up http.500 unavailable")
        #expect(
            Case.text(testCase.verdict(400, "Bad Timestamp", to: second.job, number: 2))
                == "call update again"
        )
    }

    private static let both = ["bit0": true, "bit1": true]

    private static func update(_ requestedAt: String, _ more: [String: Any] = [:], key: String = "k")
        -> InboundRecord
    {
        self.record(requestedAt, more, key)
    }

    private static func record(_ requestedAt: String, _ more: [String: Any], _ key: String) -> InboundRecord {
        let members: [String: Any] = ["bit0": true, "bit1": true, "requestedAt": requestedAt]
        return Case.record("update", members.merging(more) { $1 }, key: key)
    }

    @Test func anOlderUpdateOfASubjectIsDropped() throws {
        let testCase = try Case()
        let job = try testCase.call(Self.update("2026-11-21T07:59:59Z")).job
        #expect(Case.text(testCase.verdict(200, "", to: job)) == "answer updated true true")
        let older = Self.update("2026-11-21T07:59:58Z")
        #expect(Case.text(testCase.plan(older)) == "refuse update.superseded superseded")
        // An update with the same time may be a redelivery. The other records do not conflict with the update.
        for record in [
            Self.update("2026-11-21T07:59:59Z"), Self.update("2026-11-21T08:00:00Z"),
            Self.update("2026-11-21T07:59:58Z", key: "another"),
            Self.update("2026-11-21T07:59:58Z", ["subject": "another"]),
            Self.update("2026-11-21T07:59:58Z", ["environment": "development"]),
            Case.record("query", ["requestedAt": "2026-11-21T07:59:58Z"]),
        ] { #expect(Case.text(testCase.plan(record)).hasPrefix("call ")) }
    }

    /// An older update is still done for the bit that a newer update has not touched.
    @Test func anOlderUpdateDoesWhatItAsksForTheOtherBit() throws {
        let testCase = try Case()
        let newer = Case.record("update", ["bit0": true, "requestedAt": "2026-11-21T07:59:59Z"], key: "k")
        let reading = try testCase.call(newer).job
        guard case .call(let writing) = testCase.verdict(200, #"{"bit0":false,"bit1":false}"#, to: reading)
        else {
            Issue.record("no second call")
            return
        }
        #expect(
            Case.text(testCase.verdict(200, "", to: writing.job, number: 2)) == "answer updated true false"
        )
        // The update names both bits. The one with a newer update stays as it is, so it has to be read first.
        let both = Case.record(
            "update",
            ["bit0": false, "bit1": true, "requestedAt": "2026-11-21T07:59:58Z"],
            key: "k"
        )
        let late = try testCase.call(both)
        #expect(late.request.url.hasSuffix("/v1/query_two_bits"))
        guard case .call(let last) = testCase.verdict(200, #"{"bit0":true,"bit1":false}"#, to: late.job)
        else {
            Issue.record("no second call")
            return
        }
        #expect(Case.body(of: last.request)["bit0"] as? Bool == true)
        #expect(Case.body(of: last.request)["bit1"] as? Bool == true)
        let nothing = Case.record("update", ["bit0": false, "requestedAt": "2026-11-21T07:59:58Z"], key: "k")
        #expect(Case.text(testCase.plan(nothing)) == "refuse update.superseded superseded")
    }

    @Test func anUpdateThatWasNotDoneDropsNothing() throws {
        let testCase = try Case()
        let job = try testCase.call(Self.update("2026-11-21T07:59:59Z")).job
        _ = testCase.verdict(400, "Bad Device Token", to: job)
        _ = testCase.verdict(500, to: job)
        #expect(Case.text(testCase.plan(Self.update("2026-11-21T07:59:58Z"))) == "call update")
    }

    // MARK: our own token

    @Test func aTokenIsShownForHalfAnHour() throws {
        let testCase = try Case { $0.limits.oldest = .seconds(10_000) }
        func token(_ seconds: Int) throws -> String? {
            Case.token(of: try testCase.call(Case.record("query"), after: .seconds(seconds)).request)
        }
        let first = try token(1)
        #expect(try token(1_800) == first)
        let second = try token(1_801)
        #expect(second != first)
        #expect(try token(1_802) == second)
        // A clock that was set back: a token from the future is none.
        #expect(try token(0) != second)
    }

    @Test func aTokenIsIssuedHalfAMinuteAgo() throws {
        let token = try #require(Case.token(of: try Case().call(Case.record("query")).request))
        let parts = token.dropFirst("Bearer ".count).split(separator: ".")
        try #require(parts.count == 3)
        let padded = String(parts[1]) + String(repeating: "=", count: (4 - parts[1].count % 4) % 4)
        let claims = try #require(Data(base64Encoded: padded))
        #expect(String(decoding: claims, as: UTF8.self) == #"{"iss":"TEAMID1234","iat":1795247971}"#)
    }

    @Test func aRefusedTokenIsRenewedOnceForAll() throws {
        let testCase = try Case()
        let calls = try (0..<3).map { try testCase.call(Case.record("query", offset: Int64($0))) }
        let again = calls.map { testCase.verdict(401, "Unable to verify authorization token", to: $0.job) }
        let tokens = again.map { verdict -> String? in
            guard case .call(let call) = verdict, call.isSecondTry, call.isPerishable else { return nil }
            return Case.token(of: call.request)
        }
        #expect(Set(tokens).count == 1 && tokens[0] != nil)
        #expect(tokens[0] != Case.token(of: calls[0].request))
        guard case .call(let second) = again[0] else { return }
        #expect(
            Case.text(testCase.verdict(401, to: second.job, number: 2))
                == "hold devicecheck.unauthorized lane"
        )
        // The next probe shows a new one again.
        let probe = try testCase.call(Case.record("query"), number: 3)
        #expect(Case.token(of: probe.request) != tokens[0])
    }

    /// One that Apple has taken before may simply have become old, however often the record was tried.
    @Test func aTokenThatWasGoodIsRenewedAtAnyAttempt() throws {
        let testCase = try Case()
        let first = try testCase.call(Case.record("query"))
        #expect(Case.text(testCase.verdict(200, "Bit State Not Found", to: first.job)) == "answer not_set")
        let later = try testCase.call(Case.record("query", offset: 43), number: 3)
        #expect(Case.token(of: later.request) == Case.token(of: first.request))
        #expect(Case.text(testCase.verdict(401, to: later.job, number: 3)) == "call query again")
        // A case that is played through by hand has no past.
        let byHand = try Case(isTrial: true)
        let job = try byHand.call(Case.record("query")).job
        _ = byHand.verdict(200, "Bit State Not Found", to: job)
        #expect(Case.text(byHand.verdict(401, to: job, number: 3)) == "hold devicecheck.unauthorized lane")
        #expect(Case.text(byHand.verdict(401, to: job, number: 1)) == "call query again")
    }

    /// However often Apple gave no answer before: the key may have been changed meanwhile.
    @Test func aRefusedTokenIsRenewedOnceAtALaterAttemptToo() throws {
        let testCase = try Case()
        let later = try testCase.call(Case.record("query"), number: 3)
        let verdict = testCase.verdict(401, to: later.job, number: 3)
        guard case .call(let second) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(Case.token(of: second.request) != Case.token(of: later.request))
        #expect(
            Case.text(testCase.verdict(401, to: second.job, number: 4))
                == "hold devicecheck.unauthorized lane"
        )
    }

    /// Apple may have used the token up in a call that it then answered with an error.
    @Test func aTokenThatWasCalledForBeforeIsNotCalledInvalid() throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("query"), number: 2).job
        #expect(
            Case.text(testCase.verdict(400, "Bad Device Token", to: job, number: 2))
                == "refuse device_token.expired expired_token"
        )
        #expect(
            Case.text(testCase.verdict(400, "Bad Device Token", to: job, number: 1))
                == "refuse device_token.invalid invalid_token"
        )
    }

    @Test func whoCannotBeTrustedIsNotAskedAgain() throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("query")).job
        let error = TransferError(kind: .tls, mayHaveBeenSent: false, message: "no")
        let attempt = Attempt(number: 1, now: Case.receivedAt)
        let verdict = testCase.verdict(on: .failure(error), to: job, attempt)
        #expect(Case.text(verdict) == "hold transport.tls lane")
    }

    @Test func theClockIsToBlameTheSecondTime() throws {
        let testCase = try Case()
        let first = try testCase.call(Case.record("query"))
        let verdict = testCase.verdict(400, "Bad Timestamp", to: first.job, after: .seconds(2))
        guard case .call(let second) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(Case.body(of: second.request)["timestamp"] as? Int64 == Case.receivedAt + 2_000)
        let last = testCase.verdict(400, "Bad Timestamp", to: second.job, number: 2)
        #expect(Case.text(last) == "hold devicecheck.bad_timestamp lane")
    }

    @Test func aNewKeyMakesANewToken() throws {
        let testCase = try Case()
        let before = Case.token(of: try testCase.call(Case.record("query")).request)
        let signer = try ES256Signer(pem: Array(Case.otherKey.utf8))
        testCase.handler.keys.replaceSigner(of: Case.team, by: signer)
        #expect(Case.token(of: try testCase.call(Case.record("query")).request) != before)
    }

    /// A refusal of the old key's token says nothing of the new key.
    @Test func aRefusalThatCrossesANewKeyIsTriedAgain() throws {
        let testCase = try Case()
        let first = try testCase.call(Case.record("query"))
        guard case .call(let second) = testCase.verdict(401, to: first.job) else {
            Issue.record("no second call")
            return
        }
        let signer = try ES256Signer(pem: Array(Case.otherKey.utf8))
        testCase.handler.keys.replaceSigner(of: Case.team, by: signer)
        guard case .call(let third) = testCase.verdict(401, to: second.job, number: 2) else {
            Issue.record("no third call")
            return
        }
        #expect(Case.token(of: third.request) != Case.token(of: second.request))
        #expect(
            Case.text(testCase.verdict(401, to: third.job, number: 3))
                == "hold devicecheck.unauthorized lane"
        )
    }

    // MARK: the engine's part

    /// An engine keeps one memory for all records, and counts the tokens that it shows to Apple.
    @Test func anEngineKeepsTheMemoryAndCountsTheAges() throws {
        let handler = try Case().handler
        let registry = PrometheusRegistry()
        _ = handler.companions(Instruments(registry: registry, logger: Logger(label: "test")))
        let erased = ErasedHandler(handler)
        let attempt = Attempt(number: 1, now: Case.receivedAt + 1_000)
        func token(_ memory: HandlerMemory) -> String? {
            guard case .call(let call) = erased.plan(Case.record("query"), attempt, with: memory) else {
                return nil
            }
            return Case.token(of: call.request)
        }
        let memory = erased.emptyMemory()
        let first = token(memory)
        #expect(first != nil && token(memory) == first)
        #expect(token(erased.emptyMemory()) != first)
        #expect(registry.exposition().contains("devicecheck_token_age_seconds_count 3\n"))
        // A case that is tried by hand is not counted.
        var ownMemory = handler.emptyMemory
        _ = handler.plan(Case.record("query"), attempt, with: &ownMemory)
        #expect(registry.exposition().contains("devicecheck_token_age_seconds_count 3\n"))
    }

    // MARK: the end of a record's time

    @Test(arguments: [(1, DeviceCheckAnswer.Result.expiredToken), (2, .unavailable)])
    func anExpiredRecordStillHasAResult(number: Int, expected: DeviceCheckAnswer.Result) throws {
        let attempt = Attempt(number: number, now: Case.receivedAt + 400_000)
        let answer = try #require(try Case().handler.expired(Case.record("query"), attempt))
        #expect(answer.result == expected && answer.header.teamID == Case.team && answer.tokenAge == 400_000)
        let noise = InboundRecord(topic: "t", partition: 0, offset: 0, value: [0xFF])
        #expect(try Case().handler.expired(noise, attempt) == nil)
    }

    /// A wall clock that is set wrong must not spend tokens.
    @Test func anUnprovenTimeMakesNoTokenOld() throws {
        let handler = try Case().handler
        var memory = handler.emptyMemory
        let (late, proven) = (Case.receivedAt + 400_000, Case.receivedAt + 1_000)
        let plan = handler.plan(
            Case.record("query"),
            Attempt(number: 1, now: late, proven: proven),
            with: &memory
        )
        guard case .call = plan else { throw NotACall() }
        let old = handler.plan(Case.record("query"), Attempt(number: 1, now: late), with: &memory)
        guard case .refuse = old else { throw NotACall() }
    }

    private struct NotACall: Error {}

    @Test func neitherVerdictNorPlanShowsASecretInItsReasons() throws {
        let testCase = try Case()
        let job = try testCase.call(Case.record("query")).job
        for status in [200, 400, 401, 403, 500] {
            for body in [
                "", Case.deviceToken, "Bad Device Token \(Case.deviceToken)", "authorization \(Case.key)",
            ] {
                let text = Case.text(testCase.verdict(status, body, to: job, number: 9))
                #expect(!text.contains(Case.deviceToken) && !text.contains("PRIVATE"))
            }
        }
    }
}

@Suite struct UpdateMemoryTests {
    private static func subject(_ name: Int) -> UpdateMemory.Subject {
        UpdateMemory.Subject(team: "t", environment: .production, name: Array("\(name)".utf8))
    }

    private static let both = BitChange(bit0: true, bit1: true)

    @Test func remembersAtLeastHalfOfItsLimitAndNeverMore() {
        var memory = UpdateMemory(UpdateMemory.Limits(subjects: 100, age: .seconds(60)))
        for index in 0..<1_000 {
            memory.note(Self.both, from: 10, for: Self.subject(index), now: 0)
            #expect(memory.count <= 100)
        }
        for index in 951..<1_000 {
            #expect(memory.remainder(of: Self.both, from: 9, for: Self.subject(index), now: 0).isNothing)
        }
        #expect(memory.remainder(of: Self.both, from: 9, for: Self.subject(0), now: 0) == Self.both)
    }

    @Test func remembersForAtLeastItsTime() {
        var memory = UpdateMemory(UpdateMemory.Limits(subjects: 100, age: .seconds(60)))
        memory.note(Self.both, from: 10, for: Self.subject(1), now: 30_000)
        memory.note(Self.both, from: 10, for: Self.subject(2), now: 89_999)
        #expect(memory.remainder(of: Self.both, from: 9, for: Self.subject(1), now: 90_000).isNothing)
        #expect(memory.remainder(of: Self.both, from: 9, for: Self.subject(2), now: 149_998).isNothing)
        #expect(memory.remainder(of: Self.both, from: 9, for: Self.subject(1), now: 300_000) == Self.both)
        #expect(memory.remainder(of: Self.both, from: 9, for: Self.subject(1), now: 400_000) == Self.both)
    }

    @Test func neverForgetsTheNewerForTheOlder() {
        var memory = UpdateMemory()
        memory.note(Self.both, from: 10, for: Self.subject(1), now: 0)
        memory.note(Self.both, from: 5, for: Self.subject(1), now: 0)
        #expect(memory.remainder(of: Self.both, from: 9, for: Self.subject(1), now: 0).isNothing)
        #expect(memory.remainder(of: Self.both, from: 10, for: Self.subject(1), now: 0) == Self.both)
    }
}
