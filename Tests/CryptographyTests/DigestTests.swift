import Testing

@testable import Cryptography

@Suite struct DigestTests {
    // RFC 1321, appendix A.5.
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
        (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    ])
    func computesMD5(of text: String, expected: String) {
        #expect(String(decoding: Digest.md5.hexadecimal(Array(text.utf8)), as: UTF8.self) == expected)
    }

    // RFC 3174, section 7.3, and the empty text.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func computesSHA1(of text: String, expected: String) {
        #expect(String(decoding: Digest.sha1.hexadecimal(Array(text.utf8)), as: UTF8.self) == expected)
    }

    // RFC 6234, section 8.5, and the empty text.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        (
            String(repeating: "01234567", count: 80),
            "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
        ),
    ])
    func computesSHA256(of text: String, expected: String) {
        #expect(String(decoding: Digest.sha256.hexadecimal(Array(text.utf8)), as: UTF8.self) == expected)
    }

    @Test(arguments: Digest.allCases)
    func isAvailableAndAsLongAsItSays(digest: Digest) {
        #expect(digest.isAvailable)
        #expect(digest([1, 2, 3]).count == digest.byteCount)
    }

    @Test func digestsFromManyTasksAtOnce() async {
        let expected = Digest.md5.hexadecimal(Array("abc".utf8))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    (0..<200).allSatisfy { _ in Digest.md5.hexadecimal(Array("abc".utf8)) == expected }
                }
            }
            for await same in group { #expect(same) }
        }
    }

    @Test func writesEveryByteAsTwoLowerCaseDigits() {
        #expect(Hexadecimal.encode([0x00, 0x0F, 0xA0, 0xFF, 0x9a]) == Array("000fa0ff9a".utf8))
        #expect(Hexadecimal.encode([]) == [])
    }
}
