import Testing

@testable import UpstreamSimulator

struct ByteTests {
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (
            String(repeating: "1234567890", count: 8),
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ])
    func digestsAsRFC1321Says(message: String, digest: String) {
        #expect(String(decoding: MD5.hexDigest(of: Array(message.utf8)), as: UTF8.self) == digest)
    }

    /// Padding changes shape around 55, 56 and 64 bytes.
    @Test(arguments: [
        (55, "ef1772b6dff9a122358552954ad0df65"), (56, "3b0c8ac703f828b04c6c197006d17218"),
        (63, "b06521f39153d618550606be297466d5"), (64, "014842d480b571495a4a0363793f7367"),
        (65, "c743a45e0d2e6a95cb859adae0248435"),
    ])
    func padsEveryLength(count: Int, digest: String) {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        #expect(String(decoding: MD5.hexDigest(of: message), as: UTF8.self) == digest)
    }

    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"), ("Pj8+", ">?>"),
    ])
    func decodesBase64(text: String, bytes: String) {
        #expect(StrictBase64.decode(Array(text.utf8)) == Array(bytes.utf8))
    }

    @Test(arguments: [
        "Zg", "Zg=", "Z===", "====", "Zm8", "Zm 9", "Zm9v\n", "Pj8-", "Pj8_", "Zh==", "Zm9=", "Zg==Zg==",
        "Z=g=",
    ])
    func refusesBase64ThatIsNotStrict(text: String) {
        #expect(StrictBase64.decode(Array(text.utf8)) == nil)
    }

    @Test func readsAPlusAsASpace() {
        let fields = FormFields(decoding: Array("a=1+2%2B3&b=%e4%BD%zz%2&c=&a=9".utf8)[...])
        #expect(fields.text("a") == "1 2+3")
        #expect(fields["b"] == [0xe4, 0xbd] + Array("%zz%2".utf8))
        #expect(fields["c"] == nil)
        #expect(fields["d"] == nil)
        #expect(fields.isWellFormed)
    }

    @Test(arguments: ["", "a", "=1", "a=1&", "a=1&&b=2", "a=1&b"])
    func tellsAMalformedQuery(query: String) {
        #expect(!FormFields(decoding: Array(query.utf8)[...]).isWellFormed)
    }

    @Test func escapesAllButLettersDigitsAndThree() {
        var text: [UInt8] = []
        PercentEncoding.append("aZ09-_.~ +/:é".utf8, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == "aZ09-_.%7E%20%2B%2F%3A%C3%A9")
    }
}
