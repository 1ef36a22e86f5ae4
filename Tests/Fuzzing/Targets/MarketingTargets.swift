import Foundation

@testable import UpstreamHTTP
@testable import WireFormats

/// Answers of Tencent's living interfaces, the callback of a click, and the file of tokens.
extension FuzzTarget {
    static let marketingReply = FuzzTarget(
        "marketing-reply",
        longestInput: 1_024,
        words: [
            #"{"code":0}"#, #""code":"#, "11000", "11017", "31033", "30099", #""message":"#,
            #""data":{"access_token":"#, #""access_token_expires_in":"#, #""errors":[]"#, #"\u0063ode"#,
        ]
    ) { input in
        try MarketingClaims.check(renewalBy: input)
        guard let reply = MarketingReply(input) else { return }
        try claim(
            "no code both splits a batch and stops an account",
            !(reply.mayBlameOneAction && reply.concernsTheAccount)
        )
        try claim("only 0 is accepted", (reply.meaning == .accepted) == (reply.code == 0))
        let object = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any]
        guard let code = (object?["code"] as? NSNumber).map({ $0.int64Value }) else { return }
        try claim("another reader of JSON finds the same code", code == reply.code)
    }

    static let callbackURL = FuzzTarget(
        "callback-url",
        longestInput: 512,
        words: [
            "http%3A%2F%2F", "https://", "tracking.e.qq.com", "api.e.qq.com", ":443", "%3A8080", "@", "%40",
            "\\", "/conv?cb=", "%252B", "/v3.0/user_actions/add", "access_token=", "n%6Fnce", "#", "%00",
            "127.0.0.1", "[::1]",
        ]
    ) { input in
        let value = String(decoding: input, as: UTF8.self)
        guard let url = try? CallbackURL(value, CallbackURL.Rules()) else { return }
        try claim("a callback is its own callback", try CallbackURL(url.text, CallbackURL.Rules()) == url)
        let components = try Objection.unless(URLComponents(string: url.text), "another reader takes the URL")
        try claim("the host is on the list", CallbackURL.standardHosts.contains(components.host ?? ""))
        try claim("the URL holds no credentials", components.user == nil && components.password == nil)
        try claim("the port is the standard one", components.port == nil)
        try claim("the client takes it", HTTPRequest(method: .post, url: url.text).refusal == nil)
        let names = Set((components.queryItems ?? []).map(\.name))
        try claim(
            "ours is the only token of a request",
            !url.asksForToken || names.isDisjoint(with: ["access_token", "timestamp", "nonce"])
        )
    }

    /// An address as libcurl writes the one that it connects to for a callback.
    static let publicAddress = FuzzTarget(
        "public-address",
        longestInput: 64,
        words: [
            "10.0.0.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "192.168.1.1", "172.16.", "::1",
            "::ffff:", "64:ff9b::", "2002:", "2001:db8::", "2606:4700::1", "fe80::", "fc00::", "224.0.0.1",
        ]
    ) { input in
        guard let text = String(validating: input, as: UTF8.self), !input.contains(0) else { return }
        let isPublic = unsafe text.withCString { unsafe PublicAddress.isPublic($0) }
        if isPublic { try claim("only an address is public", IPAddress.isValid(text)) }
        guard !text.contains(":"), IPAddress.isValid(text) else { return }
        let parts = text.split(separator: ".").compactMap { UInt8($0) }
        try claim("a network of our own is not public", !(isPublic && Self.isOwn(parts)))
        let (high, low) = (Int(parts[0]) << 8 | Int(parts[1]), Int(parts[2]) << 8 | Int(parts[3]))
        let groups = "\(String(high, radix: 16)):\(String(low, radix: 16))"
        for other in ["::ffff:\(text)", "::FFFF:\(groups)", "64:ff9b::\(groups)", "2002:\(groups)::1"] {
            let same = unsafe other.withCString { unsafe PublicAddress.isPublic($0) }
            try claim("an address of IPv6 is as public as the one of IPv4 in it", same == isPublic)
        }
    }

    /// Whether an address belongs to this machine, its network or nobody, told in another way than by prefixes.
    private static func isOwn(_ parts: [UInt8]) -> Bool {
        switch (parts[0], parts[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): true
        default: parts[0] >= 224
        }
    }

    static let tokenPair = FuzzTarget(
        "token-pair",
        longestInput: 1_024,
        words: [
            #""client_id":"#, #""client_secret":"#, #""refresh_token":"#, #""access_token":"#,
            #""access_token_expires_at":"#, "1700000000",
            #"{"client_id":1,"client_secret":"s","refresh_token":"r"}"#,
        ]
    ) { input in
        guard let pair = try? TokenPair(json: input) else { return }
        try claim("a pair is read as it was written", try TokenPair(json: pair.json) == pair)
        let url = pair.renewalURL(try BaseURL(TokenPair.standardURL))
        try claim("the client takes it", HTTPRequest(method: .get, url: url).refusal == nil)
        _ = pair.isDue(within: 7_200, at: .max)
        _ = pair.isDue(within: 7_200, at: .min)
    }
}

private enum MarketingClaims {
    /// A renewal leaves the credentials alone, and its tokens can be written and read again.
    static func check(renewalBy reply: [UInt8]) throws {
        let pair = TokenPair(clientID: "c", clientSecret: "s", refreshToken: "r")
        guard let renewed = try? pair.renewed(by: reply, at: 1_700_000_000) else { return }
        try claim("a renewal brings a token", !renewed.accessToken.isEmpty && !renewed.refreshToken.isEmpty)
        try claim("a renewed pair is read as it was written", try TokenPair(json: renewed.json) == renewed)
    }
}
