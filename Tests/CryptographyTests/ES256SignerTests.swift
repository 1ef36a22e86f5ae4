import TestMaterial
import Testing

@testable import Cryptography

@Suite struct ES256SignerTests {
    static let key = TestKey.usual.privatePEM

    @Test(arguments: [
        key, key + "\n", "\n\n" + key + "\r\n", key.split(separator: "\n").joined(separator: "\r\n"),
        key.split(separator: "\n").map { "  \($0) " }.joined(separator: "\n"),
        // One long line, as some secret stores make of it.
        "-----BEGIN PRIVATE KEY-----\n"
            + key.split(separator: "\n").dropFirst().dropLast().joined()
            + "\n-----END PRIVATE KEY-----",
    ])
    func takesAKeyHoweverItsLinesEnd(text: String) throws {
        let signer = try ES256Signer(pem: Array(text.utf8))
        #expect(try signer([1, 2, 3]).count == 64)
        #expect(try signer([]).count == 64)
    }

    @Test(
        arguments: [
            ("", .notPEM),
            ("hello", .notPEM),
            (String(key.dropLast(10)), .notPEM),
            (String(key.dropFirst(3)), .notPEM),
            (key + "\n" + key, .notPEM),
            (key.replacing("END PRIVATE", with: "END PUBLIC"), .notPEM),
            ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .notPEM),
            ("-----BEGIN PRIVATE KEY-----\nA=B=\n-----END PRIVATE KEY-----", .notPEM),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", .notPKCS8),
            (String(repeating: " ", count: 20_000) + key, .notPEM),
            // A key of the older form, and an encrypted one, for which nobody must be asked on a terminal.
            (sec1, .notPKCS8),
            (encrypted, .encrypted),
            (publicKey, .notPKCS8),
            (p384, .notP256),
            (ed25519, .notP256),
            (mismatched, .broken),
        ] as [(String, ES256Signer.Fault)]
    )
    func refusesWhatIsNotAKeyOfP256InPKCS8(text: String, fault: ES256Signer.Fault) {
        #expect(throws: fault) { try ES256Signer(pem: Array(text.utf8)) }
    }

    /// Cut anywhere and changed anywhere, a key is taken or refused, and nothing worse.
    @Test func survivesEveryDamage() {
        let text = Array(Self.key.utf8)
        var taken = 0
        for index in text.indices {
            var damaged = text
            damaged[index] ^= 0x01
            if (try? ES256Signer(pem: damaged)) != nil { taken += 1 }
            #expect(throws: ES256Signer.Fault.self) { try ES256Signer(pem: Array(text.prefix(index))) }
        }
        #expect(taken < text.count / 4)
    }

    @Test func neverShowsItsKey() throws {
        let signer = try ES256Signer(pem: Array(Self.key.utf8))
        var dumped = ""
        dump(signer, to: &dumped)
        for text in ["\(signer)", String(reflecting: signer), dumped] {
            #expect(!text.contains("0x") && text.contains("redacted"), "\(text)")
        }
    }

    @Test func signsFromManyTasksAtOnce() async throws {
        let signer = try ES256Signer(pem: Array(Self.key.utf8))
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask { (0..<50).allSatisfy { (try? signer([UInt8(number), $0]))?.count == 64 } }
            }
            for await isWhole in group { #expect(isWhole) }
        }
    }

    /// Each number has its own length in DER: shorter with zeros in front, longer with a high first bit.
    @Test(
        arguments: [
            ([0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07], 5, 7),
            ([0x30, 0x07, 0x02, 0x02, 0x00, 0x85, 0x02, 0x01, 0x07], 0x85, 7),
        ] as [([UInt8], UInt8, UInt8)]
    )
    func padsShortNumbers(der: [UInt8], r: UInt8, s: UInt8) {
        let zeros = [UInt8](repeating: 0, count: 31)
        #expect(ECDSASignature.raw(der: der) == zeros + [r] + zeros + [s])
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x00], [0x30, 0x03, 0x02, 0x01, 0x05],
            [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x02, 0x07],
            [0x31, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07],
            [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07, 0x00],
            [0x30, 0x05, 0x02, 0x00, 0x02, 0x01, 0x07],
            [0x30, 0x26, 0x02, 0x21] + [UInt8](repeating: 1, count: 33) + [0x02, 0x01, 0x07],
        ] as [[UInt8]]
    )
    func refusesWhatIsNotASignature(der: [UInt8]) {
        #expect(ECDSASignature.raw(der: der) == nil)
    }

    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMxqEx7MqBJ9ic9fhblUOklSbV8zVL28cD4YQShWbeeHoAoGCCqGSM49
        AwEHoUQDQgAEPxehmjSF81Vmq3Lo+VjN65r2/VJ1iqL5ZdPib5aUmBXEEgpvTzUz
        eE1QbkQzmSnhr5xf4PvWLBAVCw5rScHH+g==
        -----END EC PRIVATE KEY-----
        """

    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgKRodEEkjQKAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEELYUzMtS1TtHNwPK0Ek8cmIEgZB2
        LunM+KXjrlkLDTmm3ejb24t724jWzOHcI9OSNVLBfZZ7+EbgMBKQdHJEhlgKU1WM
        94qdmbz01tDTLfw5v6S6E8BQu7ebSetDWvp7P4nS13fsiczAuplOIFykqgpoyDzS
        FeTw6JXqdWGGCWXf4FJNdtRwaBKj/j2CtZ2YS3cSP+KLDxu+DHMQR0ceTKqw45Q=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    static let publicKey = TestKey.usual.publicPEM

    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCQtHmIUUkvFGODZYI4
        tpac1GtpdjXFq1vo8pmeGEmOYM1uBxvQ2MhcA1aPetS0kfShZANiAASrFyF/zV3Q
        ueNz92zAQVJMtVY0b/u70tZHPt7kEsebCkY06qOJfQXKmMELPSmjtPkMcZvQ3iVZ
        xhdUlw2BgEKTE9kCoiVujqXLTIiaOPedmAMHagjBQyNSRY6t7y+Lodo=
        -----END PRIVATE KEY-----
        """

    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIFxbW16jl7vVMQ3Ntq8ujNrNbF5moigswHuosgTLe0kx
        -----END PRIVATE KEY-----
        """

    static let mismatched = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcCJxFFSGRiometIc
        Kg/D5jn86t4Hf057JwC2gpdzZJahRANCAAQ/F6GaNIXzVWarcuj5WM3rmvb9UnWK
        ovll0+JvlpSYFcQSCm9PNTN4TVBuRDOZKeGvnF/g+9YsEBULDmtJwcf6
        -----END PRIVATE KEY-----
        """
}
