import Testing

@testable import Cryptography

@Suite struct PublicKeyTests {
    /// RFC 7515, appendix A.3.
    static let message = Array(
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            .utf8
    )
    static let signature: [UInt8] = [
        0x0E, 0xD1, 0x21, 0x53, 0x79, 0x63, 0x6C, 0x48, 0x3C, 0x2F, 0x7F, 0x15, 0x58, 0x07, 0xD4, 0x02,
        0xA3, 0xB2, 0x28, 0x03, 0x3A, 0xF9, 0x7C, 0x7E, 0x17, 0x81, 0x9A, 0xC3, 0x16, 0x9E, 0xA6, 0x65,
        0xC5, 0x0A, 0x07, 0xD3, 0x8C, 0x3C, 0x70, 0xE5, 0xD8, 0xF1, 0x2D, 0xAF, 0x08, 0x4A, 0x54, 0x80,
        0xA6, 0x65, 0x90, 0xC5, 0xF2, 0x93, 0x50, 0x9A, 0x8F, 0x3F, 0x7F, 0x8A, 0x83, 0xA3, 0x54, 0xD5,
    ]

    @Test func verifiesTheExampleOfTheStandard() throws {
        let key = try #require(PublicKey(pem: Array(Samples.publicKey.utf8)))
        #expect(key.kind == .p256)
        #expect(Self.verifies(key, Self.signature, Self.message))
        let other = Self.message + [0]
        #expect(!Self.verifies(key, Self.signature, other))
        let asRSA = key.verifiesRSA(Self.signature, over: Self.message.span, .sha256)
        #expect(!asRSA)
    }

    @Test func refusesASignatureWithAnyBitChanged() throws {
        let key = try #require(PublicKey(pem: Array(Samples.publicKey.utf8)))
        for bit in 0..<(64 * 8) {
            var damaged = Self.signature
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(!Self.verifies(key, damaged, Self.message), "bit \(bit)")
        }
        for length in [0, 1, 63, 65, 128] {
            let damaged = Array((Self.signature + Self.signature).prefix(length))
            #expect(!Self.verifies(key, damaged, Self.message), "\(length) bytes")
        }
    }

    @Test func takesOnlyKeysOfTheRightCurveForES256() throws {
        let key = try #require(try Samples.certificate(Samples.intermediate).publicKey)
        #expect(key.kind == .other)
        #expect(!Self.verifies(key, Self.signature, Self.message))
    }

    @Test(arguments: ["", "text", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", Samples.root])
    func refusesWhatIsNoPublicKey(text: String) {
        #expect(PublicKey(pem: Array(text.utf8)) == nil)
    }

    /// No zeros in front, but one where the number would be negative, and one for zero itself.
    @Test func writesNumbersAsTheShortestIntegers() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(JOSESignature(zero + zero)?.der == [0x30, 6, 2, 1, 0, 2, 1, 0])
        let small: [UInt8] = zero.dropLast() + [0x7F]
        let negative: [UInt8] = zero.dropLast() + [0x80]
        #expect(JOSESignature(small + negative)?.der == [0x30, 7, 2, 1, 0x7F, 2, 2, 0, 0x80])
        let full = [UInt8](repeating: 0xFF, count: 32)
        let der = try #require(JOSESignature(full + full)?.der)
        #expect(der == [0x30, 70, 2, 33, 0] + full + [2, 33, 0] + full)
    }

    private static func verifies(_ key: PublicKey, _ signature: [UInt8], _ message: [UInt8]) -> Bool {
        key.verifiesES256(signature, over: message.span)
    }
}
