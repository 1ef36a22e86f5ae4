import Testing

@testable import WireFormats

/// The callback of a click, which anybody may have written.
@Suite struct CallbackURLTests {
    private static let rules = CallbackURL.Rules()

    @Test(arguments: [
        // Decoded exactly once: what `cb` itself escapes stays escaped.
        (
            "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3DAb%252Bc%253D%26conv_id%3D7",
            "http://tracking.e.qq.com/conv?cb=Ab%2Bc%3D&conv_id=7"
        ),
        ("http://tracking.e.qq.com/conv?cb=Ab%2Bc%3D", "http://tracking.e.qq.com/conv?cb=Ab%2Bc%3D"),
        ("HTTPS%3a%2f%2fAPI.E.QQ.COM%3A443%2Fconv%3Fcb%3D1", "https://api.e.qq.com/conv?cb=1"),
        ("https://api.e.qq.com:443/conv", "https://api.e.qq.com/conv"),
        ("http://api.e.qq.com:80/", "http://api.e.qq.com/"),
        (
            "https://api.e.qq.com/v3.0/user_actions/add?cb=@x:1/..//y",
            "https://api.e.qq.com/v3.0/user_actions/add?cb=@x:1/..//y"
        ),
    ])
    func readsACallback(value: String, text: String) throws {
        #expect(try CallbackURL(value, Self.rules).text == text)
    }

    @Test(
        arguments: [
            ("", .malformed), ("x", .malformed), ("ftp://api.e.qq.com/conv", .malformed),
            ("http:/api.e.qq.com/conv", .malformed), ("file%3A%2F%2F%2Fetc%2Fpasswd", .malformed),
            ("https://api.e.qq.com", .malformed), ("https://api.e.qq.com?cb=1", .malformed),
            ("https://api.e.qq.com/conv?cb=1#x", .malformed), ("https://api.e.qq.com/co nv", .malformed),
            ("https://api.e.qq.com\\@127.0.0.1/", .malformed), ("https://api.e.qq.com/\u{e9}", .malformed),
            ("https%3A%2F%2Fapi.e.qq.com%2Fconv%0D%0AX%3A1", .malformed),
            ("https%3A%2F%2Fapi.e.qq.com%2Fconv%00", .malformed),
            // Encoded twice: what is left after one decoding is no URL.
            ("https%253A%252F%252Fapi.e.qq.com%252Fconv", .malformed),
            ("https://" + String(repeating: "a", count: 4_096), .malformed),
            ("https://u@api.e.qq.com/conv", .credentials), ("https://u:p@api.e.qq.com/conv", .credentials),
            ("https://api.e.qq.com@127.0.0.1/conv", .credentials),
            ("https%3A%2F%2Fapi.e.qq.com%40evil.example%2Fconv", .credentials),
            ("https://api.e.qq.com:80/conv", .port), ("http://api.e.qq.com:8080/conv", .port),
            ("https://api.e.qq.com:/conv", .port), ("https://api.e.qq.com:0/conv", .port),
            ("https://api.e.qq.com:65979/conv", .port), ("https://api.e.qq.com:443x/conv", .port),
            ("http://127.0.0.1/conv", .host), ("http://10.0.0.1/conv", .host), ("http://[::1]/conv", .host),
            ("http://localhost/conv", .host), ("http://169.254.169.254/latest", .host),
            ("http://2130706433/", .host), ("https://api.e.qq.com.evil.example/conv", .host),
            ("https://evil.api.e.qq.com/conv", .host), ("https://api.e.qq.com./conv", .host),
            ("https:///conv", .host), ("https://tracking%2ee.qq.com/conv", .host),
        ] as [(String, CallbackURL.Refusal)]
    )
    func refusesEveryOtherTarget(value: String, refusal: CallbackURL.Refusal) {
        #expect(throws: refusal) { try CallbackURL(value, Self.rules) }
        #expect(refusal.reason.code.hasPrefix("callback."))
    }

    /// Tencent might read a token of the query in place of ours, or with it.
    @Test(arguments: [
        "access_token=x", "cb=1&access_token=x", "ACCESS_TOKEN", "cb=1&%61ccess%5Ftoken=x", "cb=1;nonce=2",
        "access-token=x", "access_token[]=x", "Timestamp=1", "cb=1&n%6Fnce=", "&&nonce=2",
    ])
    func refusesATokenOfItsOwnWhereOursWouldGo(query: String) throws {
        #expect(throws: CallbackURL.Refusal.malformed) {
            try CallbackURL("https://api.e.qq.com/v3.0/user_actions/add?\(query)", Self.rules)
        }
        _ = try CallbackURL("https://api.e.qq.com/conv?\(query)", Self.rules)
    }

    @Test func takesValuesThatLookLikeAToken() throws {
        for query in ["cb=access_token", "cb=1%26nonce=2", "cb=?access_token=x", "nonces=1"] {
            _ = try CallbackURL("https://api.e.qq.com/v3.0/user_actions/add?\(query)", Self.rules)
        }
    }

    @Test func aLabHasPorts() throws {
        let rules = CallbackURL.Rules(hosts: ["127.0.0.1"], allowsPorts: true)
        let url = try CallbackURL("http://127.0.0.1:4711/conv?cb=1", rules)
        #expect(url.origin == "http://127.0.0.1:4711" && url.target == "/conv?cb=1")
    }

    @Test(arguments: [
        ("/v3.0/user_actions/add?cb=1", true), ("/v1.3/user_actions/add?cb=1", true),
        ("/v/user_actions/add", true), ("/conv?cb=/v3.0/user_actions/add", false),
        ("/v3.0/user_actions/add/", false), ("/x/v3.0/user_actions/add", false),
        ("/vx/user_actions/add", false), ("/v3.0/user_actions/addx", false), ("//user_actions/add", false),
    ])
    func knowsWhatAsksForAToken(target: String, asks: Bool) throws {
        #expect(try CallbackURL("https://api.e.qq.com\(target)", Self.rules).asksForToken == asks)
    }
}
