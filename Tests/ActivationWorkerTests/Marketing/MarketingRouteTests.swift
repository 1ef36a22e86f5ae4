import Foundation
import Operations
import Records
import ServiceKit
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ActivationWorker

/// Reports to the Marketing API and to callbacks: what is sent, and what Tencent's answers mean.
@Suite struct MarketingRouteTests {
    typealias Verdict = WorkerKit.Verdict<Activation, ActivationAnswer>

    private static let account = GDTAccount(appID: 112_233, advertiserID: 10_000)
    private static let callback = "https%3A%2F%2Fapi.e.qq.com%2Fconv%3Fcb%3Da%252Bb"
    private static let tokenCallback = "https%3A%2F%2Fapi.e.qq.com%2Fv3.0%2Fuser_actions%2Fadd%3Fcb%3Da%252Bb"

    /// The worker with one app on these routes.
    private static func handler(
        actionSetID: UInt64? = 77,
        token: MarketingSettings.TokenSource? = .fixed(Secret("sec-1"), path: nil),
        takesCallbacks: Bool = true,
        callbackAttempts: Int = 5,
        hasReports: Bool = true
    ) throws -> ActivationHandler {
        let app = MarketingSettings.App(
            actionSetID: hasReports ? actionSetID : nil,
            token: token,
            takesCallbacks: takesCallbacks
        )
        let marketing = MarketingSettings(
            baseURL: try BaseURL(UserActionTarget.standardURL),
            tokenURL: try BaseURL(TokenPair.standardURL),
            apps: [Self.account: app]
        )
        let keys = try GDTKeys(signKey: "test_sign_key", encryptKey: "test_encrypt_key")
        return ActivationHandler(
            ActivationSettings(
                keys: actionSetID == nil && hasReports ? [Self.account: keys] : [:],
                configurationAttemptsLimit: 2,
                callbackAttemptsLimit: callbackAttempts,
                marketing: marketing
            )
        )
    }

    /// A token that the worker renews, of a file that does not hold one yet.
    private static let renewed = MarketingSettings.TokenSource.pair(
        PrivateFile(path: "/nonexistent/tencent.json"),
        isRenewedHere: true
    )

    private static func record(callback: String? = nil, clickID: String? = nil) -> InboundRecord {
        var json = ActivationHandlerTests.json
        for (name, value) in [("callback", callback), ("clickId", clickID)] {
            guard let value else { continue }
            json = String(json.dropLast()) + #","\#(name)":"\#(value)"}"#
        }
        return ActivationHandlerTests.record(json)
    }

    private static let attempt = Attempt(number: 1, now: ActivationHandlerTests.now)

    private static func call(_ handler: ActivationHandler, _ record: InboundRecord = record()) throws
        -> Call<Activation>
    {
        guard case .call(let call) = handler.plan(record, Self.attempt) else { throw NoCall() }
        return call
    }

    private struct NoCall: Error {}

    // MARK: plan

    @Test func reportsToTheMarketingAPI() throws {
        let call = try Self.call(try Self.handler())
        let request = call.request
        #expect(call.lane == "112233/10000/marketing_api" && call.endpoint == 1)
        #expect(request.method == .post && request.reach == .everywhere)
        #expect(
            request.url == "https://api.e.qq.com/v3.0/user_actions/add?access_token=sec-1&timestamp="
                + "\(ActivationHandlerTests.now / 1_000)&nonce=\(String(repeating: "0", count: 32))"
        )
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(request.body ?? [])) as? [String: Any]
        )
        #expect(body["account_id"] as? Int == 10_000 && body["user_action_set_id"] as? Int == 77)
        let action = try #require((body["actions"] as? [[String: Any]])?.first)
        #expect(action["action_type"] as? String == "ACTIVATE_APP")
        let record = Self.record()
        #expect(
            action["outer_action_id"] as? String
                == UserAction.id(of: call.job, in: "\(record.topic)/\(record.partition)/\(record.offset)")
        )
    }

    /// An Android phone of today tells no app its IMEI.
    @Test func reportsADeviceByItsOAIDAlone() throws {
        let json = ActivationHandlerTests.json.replacing(
            #""deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A""#,
            with: #""hashOaid":"83e9158a4fb54c0e1ef0b238639a23ae""#
        )
        let body = try Self.call(try Self.handler(), ActivationHandlerTests.record(json)).request.body ?? []
        #expect(
            String(decoding: body, as: UTF8.self).contains(
                #""user_id":{"hash_oaid":"83e9158a4fb54c0e1ef0b238639a23ae"}"#
            )
        )
    }

    @Test func aRepeatIsTheSameElement() throws {
        let handler = try Self.handler()
        let parts = try (1...3).map { number -> [UInt8]? in
            let attempt = Attempt(number: number, now: ActivationHandlerTests.now + Int64(number))
            guard case .call(let call) = handler.plan(Self.record(), attempt),
                case .part(let part) = call.content
            else { throw NoCall() }
            return part.element
        }
        #expect(Set(parts).count == 1)
    }

    private static func outerActionID(_ record: InboundRecord) throws -> String {
        guard case .part(let part) = try Self.call(try Self.handler(), record).content,
            let action = try JSONSerialization.jsonObject(with: Data(part.element)) as? [String: Any],
            let id = action["outer_action_id"] as? String
        else { throw NoCall() }
        return id
    }

    /// A phone has sent an upload twice, or an intake has taken one in twice.
    @Test(arguments: [nil, callback])
    func theSameEventIsTheSameActionWhereverItsRecordStands(callback: String?) throws {
        let event = RecordHeader(RecordOrigin.eventHeader, "0123456789abcdef0123456789abcdef")
        func id(_ offset: Int64, _ headers: [RecordHeader]) throws -> String {
            var record = Self.record(callback: callback)
            record.offset = offset
            record.headers = headers
            return try Self.outerActionID(record)
        }
        let first = try id(1, [RecordHeader(RecordOrigin.header, "sdk-upload/0/5"), event])
        #expect(try first == id(2, [RecordHeader(RecordOrigin.header, "sdk-upload/1/9"), event]))
        let other = RecordHeader(RecordOrigin.eventHeader, "1123456789abcdef0123456789abcdef")
        #expect(try first != id(1, [other]))
        // A record of a publisher keeps its name on its way through an intake.
        let place = "\(Self.record().topic)/\(Self.record().partition)/7"
        #expect(try id(7, []) == id(3, [RecordHeader(RecordOrigin.header, place)]))
        #expect(try id(7, []) != id(8, []))
    }

    /// A publisher that gives two devices the name of one event hides neither.
    @Test func aForgedEventHidesNoOtherDevice() throws {
        var ids: Set<String> = []
        for device in ["1E2DFA89-496A-47FD-9941-DF1FC4E6484A", "2E2DFA89-496A-47FD-9941-DF1FC4E6484A"] {
            let json = ActivationHandlerTests.json.replacingOccurrences(
                of: "1E2DFA89-496A-47FD-9941-DF1FC4E6484A",
                with: device
            )
            var record = ActivationHandlerTests.record(json)
            record.headers = [RecordHeader(RecordOrigin.eventHeader, "0123456789abcdef0123456789abcdef")]
            ids.insert(try Self.outerActionID(record))
        }
        #expect(ids.count == 2)
    }

    @Test func goesToTheCallbackWhereTheAppAllowsIt() throws {
        for actionSetID in [77, nil] as [UInt64?] {
            let call = try Self.call(
                try Self.handler(actionSetID: actionSetID),
                Self.record(callback: Self.callback)
            )
            let request = call.request
            #expect(call.lane == "112233/10000/callback/api.e.qq.com" && call.endpoint == 2)
            #expect(request.url == "https://api.e.qq.com/conv?cb=a%2Bb" && request.reach == .publicInternet)
            // This form asks for no token, so none is shown.
            #expect(request.headers == [HTTPHeader("Content-Type", "application/json")])
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            #expect(body.hasPrefix(#"{"actions":[{"outer_action_id":""#))
        }
    }

    /// A host that is down, or whose address is private, holds back no callback to another host.
    @Test func eachHostOfCallbacksHasItsEndpointAndLane() throws {
        let handler = try Self.handler()
        let calls = try ["api.e.qq.com", "tracking.e.qq.com"].map {
            try Self.call(handler, Self.record(callback: "http%3A%2F%2F\($0)%2Fconv%3Fcb%3Da"))
        }
        #expect(calls[0].lane == "112233/10000/callback/api.e.qq.com")
        #expect(calls[1].lane == "112233/10000/callback/tracking.e.qq.com")
        #expect(
            calls.map { handler.endpoints[$0.endpoint].name }
                == ["callback/api.e.qq.com", "callback/tracking.e.qq.com"]
        )
    }

    @Test func aCallbackOfTheNewFormGetsTheTokenInAHeader() throws {
        let record = Self.record(callback: Self.tokenCallback)
        let request = try Self.call(try Self.handler(), record).request
        #expect(request.url == "https://api.e.qq.com/v3.0/user_actions/add?cb=a%2Bb")
        #expect(
            request.headers.map(\.name) == ["Content-Type", "access-token", "timestamp", "nonce"]
                && request.headers[1].value == "sec-1"
        )
    }

    @Test(arguments: [
        ("https%3A%2F%2Fapi.e.qq.com%2F%00", "callback.malformed"),
        ("http%3A%2F%2F10.0.0.1%2Fconv", "callback.host"),
        ("http%3A%2F%2Fu%3Ap%40api.e.qq.com%2Fconv", "callback.credentials"),
        ("http%3A%2F%2Fapi.e.qq.com%3A8080%2Fconv", "callback.port"),
        ("https%3A%2F%2Fapi.e.qq.com%2Fv3.0%2Fuser_actions%2Fadd%3Faccess_token%3Dx", "callback.malformed"),
    ])
    func aBadCallbackIsAFinalOutcome(callback: String, code: String) throws {
        guard
            case .refuse(let reason, let answer) = try Self.handler()
                .plan(Self.record(callback: callback), Self.attempt)
        else { throw NoCall() }
        #expect(reason.code == code && answer?.route == .callback && answer?.marketing == nil)
    }

    /// A missing token holds back no callback that needs none.
    @Test func callbacksWithATokenHaveALaneOfTheirOwn() throws {
        let handler = try Self.handler()
        let lanes = try [Self.callback, Self.tokenCallback].map {
            try Self.call(handler, Self.record(callback: $0)).lane
        }
        #expect(lanes[0] != lanes[1] && lanes[1].hasPrefix("112233/10000/callback/api.e.qq.com"))
    }

    /// A stranger's click can carry such a callback, and the conversion was once refused for it.
    @Test func aCallbackThatCannotHaveATokenLeavesTheConversionItsRoute() throws {
        let foreign = ["https%3A%2F%2Ftracking.e.qq.com", "http%3A%2F%2Fapi.e.qq.com"]
        for host in foreign {
            let record = Self.record(callback: host + "%2Fv3.0%2Fuser_actions%2Fadd%3Fcb%3Da")
            #expect(try Self.call(try Self.handler(), record).endpoint == 1)
        }
        let scheme2 = try Self.handler(actionSetID: nil, token: nil)
        let call = try Self.call(scheme2, Self.record(callback: Self.tokenCallback))
        #expect(call.endpoint == 0 && call.request.url.hasPrefix("http://t.gdt.qq.com/"))
    }

    @Test func ignoresACallbackWhereTheAppDoesNotAllowIt() throws {
        let handler = try Self.handler(takesCallbacks: false)
        let call = try Self.call(handler, Self.record(callback: "http%3A%2F%2F10.0.0.1%2F"))
        #expect(call.endpoint == 1)
    }

    @Test func endpointsAreThoseOfTheRoutesInUse() throws {
        let endpoints = try Self.handler().endpoints
        #expect(
            endpoints.map(\.name)
                == ["", "marketing_api", "callback/api.e.qq.com", "callback/tracking.e.qq.com"]
        )
        #expect(endpoints.map(\.callsPerSlot) == [1, 50, 1, 1])
        #expect(endpoints.map(\.callsLimit) == [nil, 400, nil, nil])
        let reportsAlone = try Self.handler(takesCallbacks: false).endpoints
        #expect(reportsAlone.map(\.name) == ["", "marketing_api"])
        #expect(ActivationHandler(ActivationSettings(keys: [:])).endpoints == [UpstreamEndpoint()])
    }

    // MARK: interpret

    /// Both routes were once blamed for a token that was not there.
    @Test(arguments: [nil, tokenCallback])
    func withoutATokenYetOnlyTheLaneWaits(callback: String?) throws {
        let handler = try Self.handler(token: Self.renewed)
        let call = try Self.call(handler, Self.record(callback: callback))
        guard case .part(let part) = call.content else { throw NoCall() }
        #expect(!part.template.isReady)
        let attempt = Attempt(number: 9, failures: 8, now: ActivationHandlerTests.now)
        #expect(
            Self.shown(handler.interpret(.failure(.notReady), of: call.job, attempt))
                == "gate marketing.no_token 5"
        )
    }

    private static func verdict(
        _ body: String,
        status: Int = 200,
        callback: String? = nil,
        attempt: Int = 1,
        failures: Int? = nil,
        handler: ActivationHandler? = nil
    ) throws -> Verdict {
        // Without another route, a refused callback is the end of its record.
        let handler = try handler ?? Self.handler(hasReports: callback == nil)
        let job = try Self.call(handler, Self.record(callback: callback)).job
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let circumstances = Attempt(number: attempt, failures: failures, now: ActivationHandlerTests.now)
        return handler.interpret(.response(response), of: job, circumstances)
    }

    private static func shown(_ verdict: Verdict) -> String {
        switch verdict {
        case .answer: "answer"
        case .refuse(let reason, _): "refuse \(reason.code)"
        case .refuseInDoubt(let reason, _): "refuse in doubt \(reason.code)"
        case .call: "call"
        case .retry(let retry) where retry.gatesLane:
            "gate \(retry.reason.code) \(retry.after?.components.seconds ?? 0)"
        case .retry(let retry): "retry \(retry.reason.code) \(retry.blame)"
        case .giveUp(let retry, _): "give up \(retry.reason.code)"
        case .reject(let rejection): "reject \(rejection.reason.code)"
        case .hold(let reason, let scope): "hold \(reason.code) \(scope)"
        }
    }

    /// `ActivationHandlerTests.now` is 2026-11-21 08:01 UTC, which is 16:01 in Tencent's zone.
    @Test(arguments: [
        (0, 1, "answer"), (10_000, 1, "retry marketing.10000 upstream"),
        (10_001, 9, "retry marketing.10001 upstream"), (11_000, 1, "hold marketing.11000 lane"),
        (11_002, 1, "hold marketing.11002 lane"), (31_033, 1, "hold marketing.31033 lane"),
        (11_016, 1, "gate marketing.11016 2"), (11_017, 1, "gate marketing.11017 60"),
        (11_019, 1, "gate marketing.11019 60"), (11_018, 1, "gate marketing.11018 28740"),
        // These codes are not documented, and those that are beside them are about the sender.
        (11_001, 1, "hold marketing.11001 lane"), (11_999, 9, "hold marketing.11999 lane"),
        (31_001, 1, "refuse in doubt marketing.31001"), (77, 1, "retry marketing.77 record"),
        (77, 5, "refuse in doubt marketing.77"), (-5, 5, "refuse in doubt marketing.other"),
    ])
    func decidesByTheClassOfTheCode(code: Int, attempt: Int, expected: String) throws {
        let verdict = try Self.verdict(#"{"code":\#(code),"message":"m"}"#, attempt: attempt)
        #expect(Self.shown(verdict) == expected)
    }

    @Test(arguments: [
        (200, "<html>", "retry marketing.not_an_answer upstream"), (503, "", "retry http.503 upstream"),
        (400, "", "refuse in doubt http.400"), (404, "", "hold http.404 lane"),
        (301, "", "hold http.301 lane"), (413, "", "refuse in doubt http.413"),
        (403, "", "hold http.403 lane"), (407, "", "hold http.407 lane"), (421, "", "hold http.421 lane"),
        (429, "", "gate http.429 60"), (401, #"{"code":11016}"#, "gate marketing.11016 2"),
        (429, #"{"code":11018}"#, "gate marketing.11018 28740"),
        (400, #"{"code":31001}"#, "refuse in doubt marketing.31001"),
        (503, #"{"code":503}"#, "retry http.503 upstream"), (404, #"{"code":0}"#, "hold http.404 lane"),
    ])
    func decidesByTheStatus(status: Int, body: String, expected: String) throws {
        #expect(Self.shown(try Self.verdict(body, status: status)) == expected)
    }

    /// Attempts that were lost to an outage were once counted as answers to others of the lane, and honest conversions became
    /// dead letters. A phone may have provoked a block by a text, so that it ends its own record only.
    @Test(arguments: [(403, "refuse in doubt http.403"), (404, "reject http.404"), (401, "reject http.401")])
    func aRecordThatIsHeldAgainAndAgainIsItselfTheCause(status: Int, end: String) throws {
        let handler = try Self.handler()
        let job = try Self.call(handler).job
        func verdict(holds: Int) -> String {
            let attempt = Attempt(number: 99, now: ActivationHandlerTests.now, holds: holds)
            return Self.shown(
                handler.interpret(.response(HTTPResponse(status: status)), of: job, attempt)
            )
        }
        #expect(verdict(holds: 0) == "hold http.\(status) lane")
        #expect(verdict(holds: 1) == end && verdict(holds: 9) == end)
    }

    /// One account's answer once stopped all accounts, all callbacks and GDT.
    @Test func aProxyOnTheWayOfOneRouteStopsNoOther() throws {
        let handler = try Self.handler(actionSetID: nil)
        let job = try Self.call(handler).job
        let verdict = handler.interpret(.response(HTTPResponse(status: 421)), of: job, Self.attempt)
        #expect(Self.shown(verdict) == "hold http.421 lane")
    }

    /// A limited account was once called again as fast as it answered.
    @Test(arguments: ["0", "-5", "Sat, 01 Jan 2000 00:00:00 GMT", "soon"])
    func aLimitThatNamesNoTimeIsOneOfAMinute(header: String) throws {
        let handler = try Self.handler()
        let job = try Self.call(handler).job
        let response = HTTPResponse(status: 429, headers: [HTTPHeader("retry-after", header)], body: [])
        let verdict = handler.interpret(.response(response), of: job, Self.attempt)
        #expect(Self.shown(verdict) == "gate http.429 60")
    }

    /// A request is accepted as a whole, says the reference. A reply that accepts it and names a wrong action is split.
    @Test func aReplyWithWrongParametersIsNoSuccess() throws {
        let error = #"{"code":31017,"field":"actions[3].action_time","message":"m"}"#
        let body = #"{"code":0,"message":"","errors":[\#(error)]}"#
        #expect(Self.shown(try Self.verdict(body)) == "refuse in doubt marketing.31017")
        for errors in ["[]", "null", "7", "[7]", #"[{"code":0}]"#, #"[{"code":"31017"}]"#, #"[{"code":1}]"#] {
            let body = #"{"code":0,"errors":\#(errors)}"#
            #expect(Self.shown(try Self.verdict(body)) == "answer", "\(errors)")
        }
        guard case .part(let part) = try Self.call(try Self.handler()).content else { throw NoCall() }
        #expect(part.template.scope(of: HTTPResponse(status: 200, body: Array(body.utf8))) == .somePart)
        let expired = HTTPResponse(status: 401, body: Array(#"{"code":11000}"#.utf8))
        #expect(part.template.scope(of: expired) == .key)
    }

    /// Callbacks were once given up after five tries in an outage, whoever was to blame.
    @Test func anOutageGivesNoCallbackUp() throws {
        let verdict = try Self.verdict("", status: 503, callback: Self.callback, attempt: 9, failures: 0)
        #expect(Self.shown(verdict) == "retry http.503 upstream")
    }

    /// An edge that blocks this worker, or a page about maintenance, once refused every callback for good, as fast as it
    /// could be answered.
    @Test(arguments: [(403, ""), (407, ""), (200, "<html>")])
    func aBlockOfTheHostLetsEachCallbackWait(status: Int, body: String) throws {
        func pause(_ failures: Int, asked headers: [HTTPHeader] = []) throws -> Duration? {
            let handler = try Self.handler(callbackAttempts: 100)
            let job = try Self.call(handler, Self.record(callback: Self.callback)).job
            let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
            // A record that was called often is blocked still, and so is one at its first call.
            let attempt = Attempt(
                number: 1 + failures * 2,
                failures: failures,
                now: ActivationHandlerTests.now
            )
            guard case .retry(let retry) = handler.interpret(.response(response), of: job, attempt) else {
                return nil
            }
            #expect(retry.blame == .record && !retry.gatesLane)
            return retry.after
        }
        #expect(try [0, 1, 2, 5, 60].map { try pause($0) } == [60, 120, 240, 600, 600].map { .seconds($0) })
        guard status != 200 else { return }
        #expect(try pause(0, asked: [HTTPHeader("retry-after", "3600")]) == .seconds(3_600))
        #expect(try pause(0, asked: [HTTPHeader("retry-after", "90000")]) == .seconds(14_400))
    }

    /// A filter on the way to Tencent may object to a text of one action, which a phone chose.
    @Test(arguments: [(400, BatchScope.somePart), (403, .somePart), (401, .key), (429, .key), (502, .failed)])
    func aStatusConcernsAnActionOrTheSender(status: Int, scope: BatchScope) throws {
        guard case .part(let part) = try Self.call(try Self.handler()).content else { throw NoCall() }
        #expect(part.template.scope(of: HTTPResponse(status: status, body: Array("<html>".utf8))) == scope)
    }

    /// A phone chose where a callback leads: no dead letter, and no hold of a lane for its path. A host that fails has
    /// all attempts of `worker.attempts`, however few an account without a rule has.
    @Test(arguments: [
        (200, #"{"code":0}"#, 1, "answer"), (200, #"{"code":31001}"#, 1, "refuse marketing.31001"),
        (200, #"{"code":11002}"#, 1, "refuse marketing.11002"),
        (200, #"{"code":11000}"#, 1, "refuse marketing.11000"),
        (200, #"{"code":77}"#, 5, "refuse marketing.77"),
        (200, "<html>", 1, "retry marketing.not_an_answer record"),
        (200, "<html>", 5, "give up marketing.not_an_answer"), (302, "", 1, "refuse http.302"),
        (404, "", 1, "refuse http.404"), (403, "", 1, "retry http.403 record"),
        (403, "", 4, "retry http.403 record"),
        (403, "", 5, "give up http.403"),
        (400, "", 1, "refuse http.400"),
        (503, "", 4, "retry http.503 upstream"), (503, "", 5, "give up http.503"),
        (200, #"{"code":11017}"#, 1, "retry marketing.11017 record"),
        (200, #"{"code":11018}"#, 5, "give up marketing.11018"), (429, "", 1, "retry http.429 record"),
        (407, "", 1, "retry http.407 record"),
    ])
    func aCallbackNeverMakesADeadLetter(status: Int, body: String, attempt: Int, expected: String) throws {
        let verdict = try Self.verdict(body, status: status, callback: Self.callback, attempt: attempt)
        #expect(Self.shown(verdict) == expected)
    }

    /// A click can carry the callback of another advertiser. The lane was once held for that, and the record never
    /// ended.
    @Test(arguments: [11_000, 11_002, 11_014, 12_000, 31_033])
    func aTokenThatACallbackDoesNotTakeLetsTheRecordWaitAlone(code: Int) throws {
        func verdict(_ attempt: Int) throws -> Verdict {
            try Self.verdict(#"{"code":\#(code)}"#, callback: Self.tokenCallback, attempt: attempt)
        }
        #expect(Self.shown(try verdict(1)) == "retry marketing.\(code) record")
        #expect(Self.shown(try verdict(5)) == "give up marketing.\(code)")
        // The result says what Tencent has said at last.
        guard case .giveUp(_, let answer) = try verdict(5) else { throw NoCall() }
        #expect(answer?.route == .callback && answer?.marketing?.code == Int64(code))
    }

    /// A limit of a day, or the time in which an operator mends a token, is longer than a few tries in a row.
    @Test func whatAnAccountHasToWaitForIsAskedForLessAndLessOften() throws {
        let pauses = try (1...12).map { number in
            let attempt = Attempt(number: number, now: ActivationHandlerTests.now)
            let handler = try Self.handler(callbackAttempts: 100)
            let job = try Self.call(handler, Self.record(callback: Self.callback)).job
            let response = HTTPResponse(status: 200, body: Array(#"{"code":11017}"#.utf8))
            guard case .retry(let retry) = handler.interpret(.response(response), of: job, attempt) else {
                throw NoCall()
            }
            return Int(retry.after?.components.seconds ?? 0) / 60
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 240, 240, 240, 240])
    }

    /// A stranger chooses the callback of a click, and once cost the conversion of somebody else by it.
    @Test(arguments: [
        (200, #"{"code":31001}"#, 1), (404, "", 1), (302, "", 1), (400, "", 1), (200, #"{"code":77}"#, 5),
    ])
    func aConversionWhoseCallbackIsRefusedTakesTheRouteOfItsApp(status: Int, body: String, number: Int)
        throws
    {
        let lanes: [UInt64?: String] = [
            77: "112233/10000/marketing_api", nil: "112233/10000/IOS/MOBILEAPP_ACTIVITE",
        ]
        for (actionSetID, lane) in lanes {
            let handler = try Self.handler(actionSetID: actionSetID)
            let job = try Self.call(handler, Self.record(callback: Self.callback)).job
            let attempt = Attempt(number: number, now: ActivationHandlerTests.now, ambiguous: 1)
            func verdict(_ status: Int, _ body: String) -> Verdict {
                let response = HTTPResponse(status: status, body: Array(body.utf8))
                return handler.interpret(.response(response), of: job, attempt)
            }
            guard case .call(let call) = verdict(status, body) else { throw NoCall() }
            let usual = try Self.call(handler)
            #expect(call.lane == lane && call.endpoint == usual.endpoint && call.job.callback == nil)
            // An outage is no refusal.
            if number == 5 { #expect(Self.shown(verdict(503, "")) == "give up http.503") }
        }
    }

    /// A block of the host for an hour once cost all conversions with a callback. The record's failures say which call is
    /// next, so that a report which fails is not followed by another call of the callback.
    @Test(arguments: [(403, ""), (200, "<html>"), (200, #"{"code":11018}"#), (503, "")])
    func aCallbackThatFailsForLongTakesTheRouteOfItsApp(status: Int, body: String) throws {
        let lanes: [UInt64?: String] = [
            77: "112233/10000/marketing_api", nil: "112233/10000/IOS/MOBILEAPP_ACTIVITE",
        ]
        for (actionSetID, lane) in lanes {
            let handler = try Self.handler(actionSetID: actionSetID, callbackAttempts: 10)
            let record = Self.record(callback: Self.callback)
            let job = try Self.call(handler, record).job
            let answer = Exchange.response(HTTPResponse(status: status, body: Array(body.utf8)))
            func shown(_ exchange: Exchange, after failures: Int, ambiguous: Int = 0) -> String {
                let attempt = Self.attempt(failures, ambiguous: ambiguous)
                return Self.shown(handler.interpret(exchange, of: job, attempt))
            }
            for failures in 6...8 {
                #expect(shown(answer, after: failures).hasPrefix("retry "))
                #expect(shown(answer, after: failures, ambiguous: 1).hasPrefix("retry "))
            }
            #expect(shown(answer, after: 9, ambiguous: 1).hasPrefix("give up "))

            #expect(try Self.planned(handler, record, after: 6).job.callback != nil)
            // Where a call was lost, the host may have acted on it.
            #expect(try Self.planned(handler, record, after: 7, ambiguous: 1).job.callback != nil)
            let callback = try Self.call(handler, record).lane
            #expect(
                try Self.planned(handler, record, after: 7, ambiguous: 1, last: callback).job.callback != nil
            )
            // The report's own lost calls do not bring the callback back.
            for (ambiguous, last) in [(0, nil), (0, callback), (1, lane)] {
                let report = try Self.planned(handler, record, after: 7, ambiguous: ambiguous, last: last)
                #expect(report.lane == lane && report.job.callback == nil)
                #expect(report.endpoint == (try Self.call(handler)).endpoint)
            }
        }
    }

    /// The first answer of a report once counted as its eighth failure, and held the lane of the app.
    @Test func theFailuresOfACallbackDoNotCountAgainstTheReport() throws {
        let handler = try Self.handler(actionSetID: nil, callbackAttempts: 10)
        let report = try Self.planned(handler, Self.record(callback: Self.callback), after: 7)
        let response = HTTPResponse(status: 200, body: Array(#"{"ret":-12,"msg":"m"}"#.utf8))
        func shown(_ failures: Int) -> String {
            Self.shown(handler.interpret(.response(response), of: report.job, Self.attempt(failures)))
        }
        #expect(shown(7).hasPrefix("retry ") && !shown(8).hasPrefix("retry "))
    }

    private static func attempt(_ failures: Int, ambiguous: Int = 0, last lane: String? = nil) -> Attempt {
        Attempt(
            number: failures + 1,
            now: ActivationHandlerTests.now,
            ambiguous: ambiguous,
            lastLane: lane
        )
    }

    private static func planned(
        _ handler: ActivationHandler,
        _ record: InboundRecord,
        after failures: Int,
        ambiguous: Int = 0,
        last lane: String? = nil
    ) throws -> Call<Activation> {
        let attempt = self.attempt(failures, ambiguous: ambiguous, last: lane)
        guard case .call(let call) = handler.plan(record, attempt) else { throw NoCall() }
        return call
    }

    /// The id is the one under which the callback was told, so that Tencent recognises the conversion.
    @Test func theReportInPlaceOfACallbackHasTheSameId() throws {
        func id(_ call: Call<Activation>) throws -> String? {
            guard case .part(let part) = call.content else { throw NoCall() }
            let action = try JSONSerialization.jsonObject(with: Data(part.element)) as? [String: Any]
            return action?["outer_action_id"] as? String
        }
        let handler = try Self.handler()
        let told = try Self.call(handler, Self.record(callback: Self.callback))
        let gone = Exchange.response(HTTPResponse(status: 404))
        guard case .call(let report) = handler.interpret(gone, of: told.job, Self.attempt) else {
            throw NoCall()
        }
        #expect(try id(report) == id(told))
        // A second refusal ends the record: nothing goes round in circles, and the lane of the reports is in no doubt.
        let verdict = handler.interpret(
            .response(HTTPResponse(status: 200, body: Array(#"{"code":31001}"#.utf8))),
            of: report.job,
            Self.attempt
        )
        #expect(Self.shown(verdict) == "refuse marketing.31001")
    }

    /// A path that leads to a large page once opened the breaker of everybody's callbacks.
    @Test(arguments: [TransferError.Kind.tooLarge, .malformed])
    func aLargePageIsProvokedByAPath(kind: TransferError.Kind) throws {
        let handler = try Self.handler()
        let job = try Self.call(handler, Self.record(callback: Self.callback)).job
        let error = TransferError(kind: kind, mayHaveBeenSent: true, message: "m")
        guard case .retry(let retry) = handler.interpret(.ambiguous(error), of: job, Self.attempt) else {
            throw NoCall()
        }
        #expect(retry.blame == .record && retry.after == .seconds(60))
    }

    @Test func onlyAReportLetsTheTokenBeRenewed() throws {
        let handler = try Self.handler(token: Self.renewed)
        let token = try #require(handler.marketing.tokens.values.first)
        func verdict(_ callback: String?, attempt: Int = 1) throws -> String {
            Self.shown(
                try Self.verdict(#"{"code":11000}"#, callback: callback, attempt: attempt, handler: handler)
            )
        }
        #expect(try verdict(Self.tokenCallback) == "retry marketing.11000 record")
        #expect(try verdict(Self.tokenCallback, attempt: 5) == "give up marketing.11000")
        #expect(!token.takeWish())
        #expect(try verdict(nil) == "gate marketing.11000 5")
        #expect(token.takeWish())
    }

    /// A limit is one of the account, and anybody may have written the callback, whose path may lead to another interface of
    /// the host. One that was under maintenance once stopped the callbacks of everybody.
    @Test(arguments: [429, 503])
    func aCallbackThatIsAskedToWaitWaitsAlone(status: Int) throws {
        let handler = try Self.handler()
        let job = try Self.call(handler, Self.record(callback: Self.callback)).job
        let response = HTTPResponse(status: status, headers: [HTTPHeader("retry-after", "86400")], body: [])
        guard case .retry(let retry) = handler.interpret(.response(response), of: job, Self.attempt) else {
            throw NoCall()
        }
        #expect(!retry.gatesLane && !retry.gatesUpstream && retry.after == .seconds(14_400))
    }

    @Test func aHostWithAPrivateAddressIsAMatterOfOurNetwork() throws {
        let handler = try Self.handler()
        let job = try Self.call(handler, Self.record(callback: Self.callback)).job
        let error = TransferError(kind: .address, mayHaveBeenSent: false, message: "m")
        #expect(
            Self.shown(handler.interpret(.failure(error), of: job, Self.attempt))
                == "hold transport.address lane"
        )
    }

    @Test func theAnswerSaysTheRouteAndNotTheToken() throws {
        guard case .answer(let answer) = try Self.verdict(#"{"code":0,"message":"hello sec-1"}"#) else {
            throw NoCall()
        }
        #expect(answer.route == .marketing && answer.marketing?.message == "redacted" && answer.gdt == nil)
    }

    @Test func splitsAndStopsByTheResponse() throws {
        guard case .part(let part) = try Self.call(try Self.handler()).content else { throw NoCall() }
        let scopes: [(String, BatchScope)] = [
            (#"{"code":0}"#, .request), (#"{"code":10000}"#, .failed), (#"{"code":31001}"#, .somePart),
            (#"{"code":77}"#, .somePart), (#"{"code":11017}"#, .key), (#"{"code":11000}"#, .key),
            (#"{"code":11002}"#, .key), (#"{"code":11001}"#, .key), ("<html>", .failed),
        ]
        for (body, scope) in scopes {
            #expect(part.template.scope(of: HTTPResponse(status: 200, body: Array(body.utf8))) == scope)
        }
        #expect(part.template.scope(of: HTTPResponse(status: 413)) == .somePart)
        #expect(part.template.scope(of: HTTPResponse(status: 503)) == .failed)
        #expect(part.template.scope(of: HTTPResponse(status: 429)) == .key)
    }

    @Test func masksTheTokenTheDeviceAndTheClick() throws {
        let report = try Self.call(try Self.handler(), Self.record(clickID: "click-1")).request
        let callback = try Self.call(try Self.handler(), Self.record(callback: Self.tokenCallback)).request
        let query = "%3Fid%3Dclick-1%26cb%3Dx%26cb%3Da%252Bb"
        let other = try Self.call(
            try Self.handler(),
            Self.record(callback: "https%3A%2F%2Fapi.e.qq.com%2Fconv" + query)
        ).request
        for request in [report, callback, other] {
            let masked = ActivationProgram.masked(request)
            let text =
                masked.url + masked.headers.map(\.value).joined()
                + String(decoding: masked.body ?? [], as: UTF8.self)
            for secret in ["sec-1", "40c7084b4845eebce9d07b8a18a055fc", "click-1", "a%2Bb"] {
                #expect(!text.contains(secret), "\(secret)")
            }
            #expect(text.contains("outer_action_id"))
        }
    }
}
