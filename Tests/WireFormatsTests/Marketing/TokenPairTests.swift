import Testing

@testable import WireFormats

/// The file of an OAuth application, and its renewal.
@Suite struct TokenPairTests {
    private static let text = #"""
        {"client_id":1111,"client_secret":"s&1","refresh_token":"r1","access_token":"a1",\#
        "access_token_expires_at":1700003600}
        """#

    private static func pair(_ text: String = text) throws -> TokenPair {
        try TokenPair(json: Array(text.utf8))
    }

    private static func fault(_ body: () throws -> some Any) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func readsWhatItWrites() throws {
        let pair = try Self.pair()
        #expect(pair.clientID == "1111" && pair.accessToken == "a1")
        #expect(try TokenPair(json: pair.json) == pair)
        #expect("\(pair)" == "TokenPair(redacted)")
    }

    @Test(arguments: [
        ("", "is not one JSON object"), ("[]", "is not one JSON object"), ("{}", "has no client_id"),
        (#"{"client_id":"1","client_secret":""}"#, "has no client_secret"),
        (#"{"client_id":"1","client_secret":"s","refresh_token":"a b"}"#, "has no refresh_token"),
        (
            #"{"client_id":"1","client_secret":"s","refresh_token":"r","access_token":"\n"}"#,
            "has no access_token"
        ),
        (
            #"{"client_id":"1","client_secret":"s","refresh_token":"r","access_token_expires_at":"1700003600"}"#,
            "has no whole number of seconds since 1970 as access_token_expires_at"
        ),
        (
            #"{"client_id":"1","client_secret":"s","refresh_token":"r","access_token_expires_at":1700003600000}"#,
            "has no whole number of seconds since 1970 as access_token_expires_at"
        ),
        (
            #"{"client_id":"1","client_secret":"s","refresh_token":"r","refresh_token_expires_at":-1}"#,
            "has no whole number of seconds since 1970 as refresh_token_expires_at"
        ),
    ])
    func saysWhatIsWrongWithAFile(text: String, fault: String) {
        #expect(Self.fault { try Self.pair(text) }?.hasPrefix(fault) == true)
    }

    @Test func asksTencentForANewPair() throws {
        #expect(
            try Self.pair().renewalURL(try BaseURL(TokenPair.standardURL))
                == "https://api.e.qq.com/oauth/token?client_id=1111&client_secret=s%261"
                + "&grant_type=refresh_token&refresh_token=r1"
        )
    }

    @Test func takesOverANewPair() throws {
        let body = #"""
            {"code":0,"message":"","data":{"access_token":"a2","refresh_token":"r2",\#
            "access_token_expires_in":86400,"refresh_token_expires_in":2592000}}
            """#
        let pair = try Self.pair().renewed(by: Array(body.utf8), at: 1_700_000_000)
        #expect(pair.accessToken == "a2" && pair.refreshToken == "r2" && pair.clientSecret == "s&1")
        #expect(pair.accessExpiresAt == 1_700_086_400 && pair.refreshExpiresAt == 1_702_592_000)
        // A renewal that names no refresh token keeps the one before.
        let short = #"{"code":0,"data":{"access_token":"a3","access_token_expires_in":-5}}"#
        let next = try pair.renewed(by: Array(short.utf8), at: 1_700_000_000)
        #expect(next.refreshToken == "r2" && next.accessExpiresAt == 1_700_086_400)
    }

    @Test(arguments: [
        ("", "no answer"), ("<html>", "no answer"), (#"{"code":11012}"#, "answered with 11012"),
        (#"{"code":0}"#, "no access token"), (#"{"code":0,"data":{"access_token":""}}"#, "no access token"),
        (#"{"code":0,"data":{"access_token":"a b"}}"#, "no access token"),
    ])
    func refusesEveryOtherReply(body: String, fault: String) {
        let found = Self.fault { try Self.pair().renewed(by: Array(body.utf8), at: 0) }
        #expect(found?.contains(fault) == true)
    }

    @Test func isDueAheadOfItsEnd() throws {
        var pair = try Self.pair()
        #expect(!pair.isDue(within: 3_600, at: 1_700_000_000))
        #expect(pair.isDue(within: 3_600, at: 1_700_000_001))
        pair.accessExpiresAt = nil
        #expect(pair.isDue(within: 3_600, at: 0))
        pair.accessToken = ""
        #expect(pair.isDue(within: 0, at: 0))
    }
}
