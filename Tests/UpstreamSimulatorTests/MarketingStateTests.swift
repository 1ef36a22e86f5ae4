import Foundation
import Testing

@testable import UpstreamSimulator

/// The simulator's own judgement of requests to the Marketing API.
@Suite struct MarketingStateTests {
    private static let now: Int64 = 1_700_000_000_000

    private static func api(_ change: (inout MarketingSimulator.Settings) -> Void = { _ in })
        -> MarketingState
    {
        var settings = MarketingSimulator.Settings(
            accounts: [MarketingSimulator.Account(accountID: 1, actionSetIDs: [2])],
            tokens: ["t"]
        )
        settings.clients = [
            MarketingSimulator.Client(clientID: "c", clientSecret: "s", refreshToken: "r")
        ]
        change(&settings)
        return MarketingState(settings)
    }

    private static func action(_ id: String = "1", click: String? = nil, time: Int64 = now / 1_000) -> String
    {
        let trace = click.map { #","trace":{"click_id":"\#($0)"}"# } ?? ""
        return #"{"outer_action_id":"\#(id)","action_time":\#(time),"action_type":"ACTIVATE_APP","#
            + #""user_id":{"hash_idfa":"40c7084b4845eebce9d07b8a18a055fc"}\#(trace)}"#
    }

    private static func request(
        _ actions: [String] = [action()],
        query: String = "access_token=t&timestamp=1700000000&nonce=n1",
        account: Int = 1,
        set: Int = 2,
        type: String = "application/json"
    ) -> MarketingState.Request {
        let list = actions.joined(separator: ",")
        return MarketingState.Request(
            method: "POST",
            uri: "/v3.0/user_actions/add?\(query)",
            headers: ["content-type": type],
            body: Array(#"{"account_id":\#(account),"user_action_set_id":\#(set),"actions":[\#(list)]}"#.utf8)
        )
    }

    private static func code(_ reply: AppleReply) -> Int? {
        let object = try? JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any]
        return object?["code"] as? Int
    }

    @Test(arguments: [
        (request(), 0), (request([action(), action("2")]), 0),
        (request(query: "timestamp=1&nonce=n"), 12_000),
        (
            request(query: "access_token=t&timestamp=1700000000&nonce=\(String(repeating: "n", count: 33))"),
            12_000
        ),
        (request(query: "access_token=x&timestamp=1700000000&nonce=n"), 11_002),
        (request(query: "access_token=t&timestamp=1699999699&nonce=n"), 12_001),
        (request(query: "access_token=t&timestamp=1700000301&nonce=n"), 12_001),
        (request(account: 9), 31_033), (request(set: 9), 31_002), (request([]), 31_004),
        (request((0..<51).map { action("\($0)") }), 31_004),
        (request([action(), action("2", click: "bad1")]), 31_005),
        (request([action(time: 2_147_483_648)]), 31_005), (request(["1"]), 31_005),
        (request(type: "text/plain"), 31_001),
    ])
    func judges(request: MarketingState.Request, code: Int) {
        var api = Self.api()
        let found = Self.code(api.answer(request, now: Self.now))
        #expect(found == code)
        // All or nothing: a refused request leaves no conversion behind.
        #expect((api.conversionCount > 0) == (code == 0))
    }

    @Test func aRepeatedNonceIsRefusedAndARepeatedActionIsCountedOnce() {
        var api = Self.api()
        func ask(_ nonce: String) -> Int? {
            let query = "access_token=t&timestamp=1700000000&nonce=\(nonce)"
            return Self.code(api.answer(Self.request(query: query), now: Self.now))
        }
        #expect(ask("n1") == 0)
        #expect(ask("n1") == 12_002)
        #expect(ask("n2") == 0)
        #expect(api.conversions.map(\.count) == [2] && api.ledger.repeatedNonces == 1)
    }

    @Test func limitsAreThoseOfOneAccount() {
        var api = Self.api {
            $0.accounts.append(MarketingSimulator.Account(accountID: 3, actionSetIDs: [2]))
            $0.rules.requestsAMinute = 1
            $0.rules.requestsADay = 2
        }
        func ask(_ nonce: Int, account: Int = 1, at now: Int64) -> Int? {
            let query = "access_token=t&timestamp=\(now / 1_000)&nonce=\(nonce)"
            return Self.code(api.answer(Self.request(query: query, account: account), now: now))
        }
        #expect(ask(1, at: Self.now) == 0)
        #expect(ask(2, at: Self.now) == 11_017)
        #expect(ask(3, account: 3, at: Self.now) == 0)
        #expect(ask(4, at: Self.now + 60_000) == 11_018)
    }

    @Test func aRefreshTokenIsGoodOnce() {
        var api = Self.api()
        func renew(_ refresh: String) -> String {
            let uri =
                "/oauth/token?client_id=c&client_secret=s&grant_type=refresh_token&refresh_token=\(refresh)"
            return api.answer(
                MarketingState.Request(method: "GET", uri: uri, headers: [:], body: []),
                now: Self.now
            ).text
        }
        #expect(renew("r").contains(#""access_token":"access-c-1","refresh_token":"refresh-c-1""#))
        #expect(renew("r").contains("11010"))
        func report(at seconds: Int64) -> Int? {
            let query = "access_token=access-c-1&timestamp=\(seconds)&nonce=\(seconds)"
            return Self.code(api.answer(Self.request(query: query), now: seconds * 1_000))
        }
        #expect(report(at: 1_700_000_000) == 0)
        #expect(report(at: 1_700_086_401) == 11_000)
    }

    @Test func callbacksAreTakenWithAndWithoutAToken() {
        var api = Self.api()
        func call(_ uri: String, _ headers: [String: String] = [:]) -> Int? {
            var request = Self.request()
            request.uri = uri
            request.headers.merge(headers) { $1 }
            return Self.code(api.answer(request, now: Self.now))
        }
        let headers = ["access-token": "t", "timestamp": "1700000000", "nonce": "n"]
        #expect(call("/conv?cb=x%2By&conv_id=1") == 0)
        #expect(call("/v3.0/user_actions/add?cb=z") == 12_000)
        #expect(call("/v3.0/user_actions/add?cb=z", headers) == 0)
        #expect(Set(api.conversions.map(\.callback)) == ["x+y", "z"])
    }

    @Test func aCallbackIsEncodedAsTheFeedDoesIt() {
        let text = SimulatedCallback.text("a+b", at: "http://127.0.0.1:1")
        #expect(text == "http%3A%2F%2F127.0.0.1%3A1%2Fconv%3Fcb%3Da%252Bb")
    }
}
