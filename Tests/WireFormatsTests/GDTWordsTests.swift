import Testing
import WireMessages

@testable import WireFormats

@Suite struct GDTWordsTests {
    /// Its muid is 40c7084b4845eebce9d07b8a18a055fc.
    let activation: Activation
    let keys: GDTKeys

    init() throws {
        self.activation = try ActivationDraft {
            ($0.clientIp, $0.clickID) = ("2001:db8::7", "Click-0815")
            ($0.caid, $0.caidVersion) = ("Ca-93", "1005")
        }.activation()
        self.keys = try GDTKeys(signKey: "Sword", encryptKey: "fish7")
    }

    private func shown(_ message: String) -> String {
        GDTWords.shown(message, about: self.activation, keys: self.keys)
    }

    @Test(arguments: [
        "", "ok", "illegal muid", "no rule for the account 112233/10000", "参数错误 (-1)", "100 % sure, 5%",
        "a=b",
        "sign is wrong", "v is wrong", "2026-11-21 08:00:00", "conversion_rule_not_found_for_this_advertiser",
        "trace 0123456789abcde", "%zz%", "muid: bad", "save=1", "design=1",
    ])
    func showsHarmlessWords(message: String) {
        #expect(self.shown(message) == message)
    }

    @Test(arguments: [
        "muid 40c7084b4845eebce9d07b8a18a055fc is wrong", "40C7084B4845EEBCE9D07B8A18A055FC",
        "40c7084b4845eebc", "e9d07b8a18a055fc", "40c7084b-4845eebc", "40:c7:08:4b:48:45:ee:bc",
        "%34%30%63%37%30%38%34%62%34%38%34%35%65%65%62%63", "%2534%30c7084b4845eeb%2563", "%63lick-0815",
        "from 2001:DB8::7", "from 2001%3Adb8%3A%3A7", "from 2001%253adb8%253a%253a7",
        "from 2001:0db8:0000:0000:0000:0000:0000:0007", "CLICK-0815!", "click%2D0815",
        "0123456789abcdef", "8a4d7f5323fd91b37430d639e6f7371b",
        "v=x", "?v=GRAaEGJ", "V = x", "\"sign\"='x'", "a&sign=", "%26sign%3D1", "client_ip=", "sign_key=x",
        "GRAaEGJVCFNFTRQXZw5UH0RQ", "key SWORD", "key fish7", "key %66ish7", "s%77ord",
        "%25252525252534", "id ca-93", "hash_oaid=x", "Ca-93",
    ])
    func hidesWhatCouldTellSomething(message: String) {
        #expect(self.shown(message) == "redacted")
    }

    /// It was once cut first and looked at then: half of a muid at the cut passed.
    @Test(arguments: 0..<40)
    func looksAtAllOfItBeforeItCuts(shift: Int) {
        let muid = "40c7084b4845eebce9d07b8a18a055fc"
        let words = String(repeating: "é", count: GDTWords.scalarsLimit - shift) + " \(muid)"
        #expect(self.shown(words) == "redacted")
    }

    @Test func isBounded() {
        let long = String(repeating: "拒", count: 1_000)
        #expect(self.shown(long) == String(repeating: "拒", count: 200))
    }

    /// Found by fuzzing: accents count as nothing where characters are counted, and 64 KiB of them were one.
    @Test func isBoundedWhateverACharacterIsMadeOf() {
        let accents = "a" + String(repeating: "\u{301}", count: 1_000)
        #expect(self.shown(accents) == "a" + String(repeating: "\u{301}", count: 199))
    }

    @Test func worksWithoutKeys() {
        #expect(GDTWords.shown("key SWORD", about: self.activation, keys: nil) == "key SWORD")
    }
}
