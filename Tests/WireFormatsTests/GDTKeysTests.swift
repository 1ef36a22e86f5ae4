import Testing

@testable import WireFormats

@Suite struct GDTKeysTests {
    @Test(arguments: [
        ("", "k"), ("s", ""), ("s", "ké"), ("s\n", "k"), ("s", " k"), ("\u{7f}", "k"), ("s", "\u{0}"),
    ])
    func refusesAKeyThatCannotBeOne(signKey: String, encryptKey: String) {
        #expect(throws: GDTKeys.Fault.self) { try GDTKeys(signKey: signKey, encryptKey: encryptKey) }
    }

    @Test func neverShowsItsKeys() throws {
        let keys = try GDTKeys(signKey: "hunter2", encryptKey: "swordfish")
        let report = ConversionReport(for: GDTAccount(appID: 1, advertiserID: 2), keys: keys)
        var dumped = ""
        dump(keys, to: &dumped)
        dump(report, to: &dumped)
        let texts = ["\(keys)", String(reflecting: keys), "\(report)", String(reflecting: report), dumped]
        let secrets = ["hunter2", "swordfish", "104", "115"]
        for text in texts {
            #expect(!secrets.contains(where: text.contains), "\(text)")
        }
    }
}
