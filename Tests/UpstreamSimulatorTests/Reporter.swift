@testable import UpstreamSimulator

/// Makes reports for tests, right ones and, with a part replaced, wrong ones.
struct Reporter {
    static let now: Int64 = 1_700_000_000
    static let keys = GDTKeys(
        appID: "111",
        advertiserID: "222",
        signKey: "0f1e2d3c4b5a6978",
        encryptKey: "7d31c0a9e85f4b26"
    )

    var path = "/conv/app/111/conv"
    var signedApp = "111"
    var signKey = Reporter.keys.signKey
    var encryptKey = Reporter.keys.encryptKey
    var muid: String? = Reporter.muid(0)
    var time: String? = String(Reporter.now)
    var clickID: String?
    var conversionType = "MOBILEAPP_ACTIVITE"
    var appType = "IOS"
    var advertiserID = "222"
    /// Replaces the query that is signed.
    var query: String?
    /// Replaces the text that is enciphered.
    var clearText: String?
    /// Replaces the whole of `v`, escaped already.
    var v: String?

    static func muid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    var target: String {
        let fields = [("muid", self.muid), ("conv_time", self.time), ("click_id", self.clickID)]
        let query =
            self.query
            ?? fields.compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
            .joined(separator: "&")
        let page = "http://t.gdt.qq.com/conv/app/\(self.signedApp)/conv?\(query)"
        let property = "\(self.signKey)&GET&\(Self.escaped(page))"
        let signature = String(decoding: MD5.hexDigest(of: Array(property.utf8)), as: UTF8.self)
        let clear = Array((self.clearText ?? "\(query)&sign=\(signature)").utf8)
        let key = Array(self.encryptKey.utf8)
        let cipher = clear.indices.map { clear[$0] ^ key[$0 % key.count] }
        let v = self.v ?? Self.escaped(Self.base64(cipher))
        return "\(self.path)?v=\(v)&conv_type=\(self.conversionType)&app_type=\(self.appType)"
            + "&advertiser_id=\(self.advertiserID)"
    }

    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.append(text.utf8, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? letters[bits >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }
}
