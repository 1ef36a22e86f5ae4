import Testing

@testable import WireFormats

/// Tencent's replies, and the class of each code.
@Suite struct MarketingReplyTests {
    private static func reply(_ code: Int64) throws -> MarketingReply {
        try #require(
            MarketingReply(Array(#"{"code":\#(code),"message":"m","message_cn":"","errors":[]}"#.utf8))
        )
    }

    @Test(
        arguments: [
            (0, .accepted), (10_000, .busy), (10_001, .busy), (30_000, .busy), (30_099, .busy),
            (11_000, .expiredToken), (11_016, .limited(.second)), (11_017, .limited(.minute)),
            (11_018, .limited(.day)), (11_008, .limited(.unknown)), (11_019, .limited(.unknown)),
            (11_022, .limited(.unknown)), (11_002, .misconfigured), (11_004, .misconfigured),
            (11_005, .misconfigured), (11_007, .misconfigured), (11_009, .misconfigured),
            (11_013, .misconfigured), (11_014, .misconfigured), (12_000, .misconfigured),
            (31_033, .misconfigured), (31_001, .badParameter), (31_999, .badParameter),
            (30_100, .undocumented), (1, .undocumented), (-1, .undocumented), (.max, .undocumented),
        ] as [(Int64, MarketingReply.Meaning)]
    )
    func everyCodeHasAClass(code: Int64, meaning: MarketingReply.Meaning) throws {
        let reply = try Self.reply(code)
        #expect(reply.meaning == meaning && reply.message == "m")
        // No code both splits a batch and stops an account.
        #expect(!(reply.mayBlameOneAction && reply.concernsTheAccount))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"code":"0"}"#, #"{"code":null}"#, #"{"ret":0}"#, "<html>", #"{"code":0"#,
        #"{"code":1.5}"#, #"{"data":{"code":0}}"#,
    ])
    func refusesWhatIsNoReply(body: String) { #expect(MarketingReply(Array(body.utf8)) == nil) }

    @Test func refusesABodyAboveTheLimit() {
        let padding = String(repeating: " ", count: MarketingReply.bytesLimit)
        #expect(MarketingReply(Array((#"{"code":0}"# + padding).utf8)) == nil)
    }

    /// 2026-11-24 15:59:59.999 UTC is one millisecond before midnight in Tencent's zone.
    @Test(
        arguments: [
            (1_795_535_999_999, .milliseconds(1)), (1_795_536_000_000, .seconds(86_400)),
            (0, .seconds(16 * 3_600)), (-8 * 3_600_000 - 1, .milliseconds(1)),
            (.max, .seconds(86_400)),
        ] as [(Int64, Duration)]
    )
    func aDayEndsInTencentsZone(now: Int64, rest: Duration) { #expect(TencentDay.rest(at: now) == rest) }

    @Test func aMessageThatQuotesTheTokenIsNotShown() throws {
        let reply = try #require(MarketingReply(Array(#"{"code":11002,"message":"bad tok-en_1"}"#.utf8)))
        let activation = try ActivationDraft().activation()
        let answer = { (token: String) in
            MarketingAnswer(reply, httpStatus: 200, to: activation, token: Array(token.utf8)).message
        }
        #expect(answer("tok-en_1") == "redacted")
        #expect(answer("other") == "bad tok-en_1")
        #expect(answer("") == "bad tok-en_1")
    }
}
