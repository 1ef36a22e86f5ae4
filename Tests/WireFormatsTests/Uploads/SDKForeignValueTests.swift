import Testing

@testable import WireFormats

/// A phone may write any JSON under a name of its own. A value at which a reader could fail goes on as a text.
struct SDKForeignValueTests {
    @Test(arguments: [
        "1", "-0.5", "1e3", "1E+308", "0e999", "1e-999", "true", "null", "[]", #"{"a":[1,2.5e3,"1e99999"]}"#,
        #"["\\\"1e9999"]"#, String(repeating: "9", count: 64), #""1e99999999999""#,
        "[\"\(String(repeating: "x", count: 32_769))\"]", "{\"\(String(repeating: "x", count: 32_766))\":1}",
        #"["\u0001\\u0000","\ud83d\ude00","\uD83D\uDE00\u00e9"]"#, #"{"\\ud800":1}"#, #""\\""#,
    ])
    func staysAsItIs(json: String) { #expect(SDKForeignValue.isReadable(json)) }

    @Test(arguments: [
        "1e1000", "1e309", "-1E+309", "1e99999999999", "0e99999999999", "1e-99999999999",
        "[1,[2,{\"a\":1e400}]]",
        #"{"a\\\"":1e400}"#, String(repeating: "9", count: 65), "0." + String(repeating: "1", count: 63),
        "{\"\(String(repeating: "x", count: 32_769))\" : 1}",
        #""a\u0000""#, #"{"\u0000":1}"#, #"["\ud800"]"#, #""\udc00""#, #""\uDBFFx\udc00""#,
        #""\ud800\ud800\udc00""#,
        #""\ud800\n""#, #""\\\u0000""#,
    ])
    func becomesAText(json: String) { #expect(!SDKForeignValue.isReadable(json)) }
}
