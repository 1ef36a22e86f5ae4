import Cryptography
import Foundation
import TestMaterial
import Testing

@testable import WireFormats

@Suite struct AppStoreReplyTests {
    static let now: Int64 = 1_716_595_000_000
    static let id = StoreTransactionID("2000000123456789")

    static func call(_ make: (StoreTransactionID) -> AppStoreCall) throws -> AppStoreCall {
        make(try #require(self.id))
    }

    static func reply(
        _ status: Int,
        _ body: String = "",
        contentType: String? = "application/json",
        retryAfter: String? = nil,
        from host: StoreHost = .production,
        visited: Set<StoreHost> = []
    ) throws -> AppStoreReply {
        AppStoreReply(
            to: try self.call { .transaction($0) },
            status: status,
            contentType: contentType,
            retryAfter: retryAfter,
            body: Array(body.utf8),
            from: host,
            visited: visited,
            now: self.now
        )
    }

    @Test func readsAllVectors() { #expect(StoreDecisionVector.serverAPI.count == 19) }

    /// The rows ask production first.
    @Test(arguments: StoreDecisionVector.serverAPI)
    func decidesAsTheVectorsDo(row: StoreDecisionVector) throws {
        let host = try #require(StoreHost(rawValue: row.env))
        let reply = try Self.reply(
            try #require(row.http_status),
            row.body ?? "",
            contentType: row.headers?["content-type"],
            retryAfter: row.headers?["retry-after"],
            from: host,
            visited: host == .sandbox ? [.production] : []
        )
        #expect(reply.decision.rawValue == row.action)
        #expect((reply.answer != nil) == (reply.decision == .accept))
    }

    @Test(
        arguments: [
            (404, 4_040_002, .retry), (404, 4_040_003, .configuration), (404, 4_040_010, .trySandbox),
            (404, 4_040_019, .reject), (500, 5_000_000, .retryLimited), (500, 5_009_999, .retry),
            (404, 4_049_999, .retryLimited),
        ] as [(Int, Int, StoreDecision)]
    )
    func knowsTheOtherCodes(status: Int, code: Int, decision: StoreDecision) throws {
        #expect(try Self.reply(status, #"{"errorCode":\#(code)}"#).decision == decision)
        #expect(try Self.reply(status, #"{"errorCode":"\#(code)"}"#).decision == decision)
        // A number that is only near a code is none.
        #expect(try Self.reply(status, #"{"errorCode":\#(code).5}"#).errorCode == nil)
    }

    /// Under another content type it is somebody else's error.
    @Test func believesCodesOnlyInJSON() throws {
        let body = #"{"errorCode":4000006}"#
        #expect(try Self.reply(400, body, contentType: "application/json; charset=utf-8").decision == .reject)
        #expect(try Self.reply(400, body, contentType: "text/html").decision == .retryLimited)
        #expect(try Self.reply(400, body, contentType: nil).decision == .retryLimited)
        #expect(try Self.reply(400, body, contentType: "text/html").errorCode == nil)
    }

    @Test func asksEachEnvironmentOnce() throws {
        let unknown = #"{"errorCode":4040010}"#
        #expect(try Self.reply(404, unknown, from: .sandbox).decision == .tryProduction)
        #expect(try Self.reply(404, unknown, visited: [.sandbox]).decision == .retryLimited)
        #expect(try Self.reply(404, unknown, visited: [.sandbox]).isUnknownPurchase)
        #expect(try Self.reply(401, from: .sandbox).decision == .tryProduction)
        #expect(try Self.reply(401, visited: [.sandbox]).decision == .configuration)
    }

    @Test(
        arguments: [
            // A time in milliseconds, and what HTTP knows.
            ("1716595300000", 300), ("1716595000000", 0), ("1716594000000", 0), (" 1716595001500 ", 1.5),
            ("17165953000000", 86_400), ("9223372036854775807", 86_400), ("120", 120), ("-5", 0),
            ("99999999999999999999999", 86_400), ("soon", 600), (nil, 600),
        ] as [(String?, Double)]
    )
    func waitsUntilApplesTime(header: String?, seconds: Double) throws {
        let reply = try Self.reply(429, #"{"errorCode":4290000}"#, retryAfter: header)
        #expect(reply.decision == .retry)
        #expect(reply.delay == .milliseconds(Int64(seconds * 1_000)))
    }

    @Test(arguments: ["", "{", "[]", "<html>"])
    func readsNoAnswerIntoRubbish(body: String) throws {
        #expect(try Self.reply(200, body).decision == .retry)
    }

    @Test(arguments: ["{}", #"{"signedTransactionInfo":1}"#, #"{"signedTransactions":[]}"#])
    func missesWhatTheAnswerIsBy(body: String) throws {
        #expect(try Self.reply(200, body).decision == .retryLimited)
    }

    // MARK: answers

    private func answer(_ call: AppStoreCall, _ text: String) throws -> AppStoreAnswer? {
        AppStoreAnswer(to: call, try #require(JSONObject(Array(text.utf8))))
    }

    @Test func pagesWithTheRevision() throws {
        let first = try Self.call { .history($0, revision: nil) }
        let more = #"{"revision":"r/1 +","hasMore":true,"signedTransactions":["a","b"]}"#
        let page = AppStoreAnswer.Page(signed: [Array("a".utf8), Array("b".utf8)], nextRevision: "r/1 +")
        #expect(try self.answer(first, more) == .history(page))
        let last = #"{"revision":"r/1 +","hasMore":false,"signedTransactions":[]}"#
        #expect(try self.answer(first, last) == .history(.init(signed: [], nextRevision: nil)))
        // A page that leads to itself, or says that there is more and not how to get it.
        let again = try Self.call { .history($0, revision: "r/1 +") }
        #expect(try self.answer(again, more) == nil)
        #expect(try self.answer(first, #"{"hasMore":true,"signedTransactions":[]}"#) == nil)
        #expect(try self.answer(first, #"{"hasMore":false,"signedTransactions":[1]}"#) == nil)
    }

    @Test func readsSubscriptions() throws {
        let call = try Self.call { .subscriptions($0) }
        let text = #"""
            {"environment":"Sandbox","data":[{"subscriptionGroupIdentifier":"g","lastTransactions":[
              {"status":1,"signedTransactionInfo":"t","signedRenewalInfo":"r"},
              {"status":"2","signedTransactionInfo":"u"},{"status":9,"signedTransactionInfo":"v"}]},{"lastTransactions":[]}]}
            """#
        let expected: [AppStoreAnswer.Subscription] = [
            .init(signedTransaction: Array("t".utf8), signedRenewal: Array("r".utf8), status: .active),
            .init(signedTransaction: Array("u".utf8), signedRenewal: nil, status: .expired),
            .init(signedTransaction: Array("v".utf8), signedRenewal: nil, status: nil),
        ]
        #expect(try self.answer(call, text) == .subscriptions(expected))
        #expect(try self.answer(call, #"{"data":[]}"#) == .subscriptions([]))
        #expect(try self.answer(call, #"{"data":[{"lastTransactions":[{"status":1}]}]}"#) == nil)
        #expect(try self.answer(call, "{}") == nil)
    }

    // MARK: requests

    @Test func asksUnderApplesPaths() throws {
        #expect(
            try Self.call { .transaction($0) }.path == "/inApps/v1/transactions/2000000123456789"
        )
        #expect(
            try Self.call { .subscriptions($0) }.path == "/inApps/v1/subscriptions/2000000123456789"
        )
        #expect(
            try Self.call { .history($0, revision: nil) }.path
                == "/inApps/v2/history/2000000123456789?sort=DESCENDING"
        )
        #expect(
            try Self.call { .history($0, revision: "a/b c=&+é") }.path
                == "/inApps/v2/history/2000000123456789?sort=DESCENDING&revision=a%2Fb%20c%3D%26%2B%C3%A9"
        )
    }

    @Test(arguments: ["", "1/../2", "12a", "１２", "-1", " 1", String(repeating: "1", count: 33)])
    func letsNothingButDigitsIntoAPath(text: String) {
        #expect(StoreTransactionID(text) == nil)
    }

    @Test func claimsWhatAppleWants() throws {
        let token = ProviderToken(
            appStoreKey: "KEY1234567",
            issuer: "57246542-96fe-1a63-e053-0824d011072a",
            bundleID: "com.example.app",
            now: 1_716_595_000_999,
            lifetime: .seconds(300)
        )
        let parts = String(decoding: token.signingInput, as: UTF8.self).split(separator: ".")
        let claims = try #require(Base64URL.decode(Array(parts[1].utf8)))
        let object = try JSONSerialization.jsonObject(with: Data(claims)) as? NSDictionary
        let expected: NSDictionary = [
            "iss": "57246542-96fe-1a63-e053-0824d011072a", "iat": 1_716_594_970, "exp": 1_716_595_300,
            "aud": "appstoreconnect-v1", "bid": "com.example.app",
        ]
        #expect(object == expected)
        let header = try #require(Base64URL.decode(Array(parts[0].utf8)))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"KEY1234567","typ":"JWT"}"#)
    }
}
