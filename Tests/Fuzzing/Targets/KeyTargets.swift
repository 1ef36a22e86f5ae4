import Cryptography

@testable import WireFormats

extension FuzzTarget {
    /// The text of a `.p8` file, or of a public key.
    static let privateKey = FuzzTarget(
        "private-key",
        longestInput: 1_024,
        words: [
            "-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY-----\n", "-----BEGIN PUBLIC KEY-----\n",
            "ENCRYPTED ", "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg", "\r\n", "====",
        ],
        seeds: {
            VectorRows.of("es256_jwt").flatMap { row in
                [row.text("private_key_pem"), row.text("public_key_pem")].map { Array(($0 ?? "").utf8) }
            }
        }
    ) { input in
        _ = PublicKey(pem: input)?.kind
        let signer: ES256Signer
        do throws(ES256Signer.Fault) {
            signer = try ES256Signer(pem: input)
        } catch {
            let sentence = Array("\(error)".utf8)
            return try claim(
                "a fault says nothing of the key",
                sentence.count <= 96 && !sentence.contains(0x3D)
            )
        }
        try claim("a key signs", try signer(input).count == 64)
        try claim("a key is not printed", "\(signer)" == "ES256Signer(key: redacted)")
        let mangled = input.flatMap { $0 == 0x0A ? [0x20, 0x0D, 0x0A, 0x09] : [$0] }
        try claim("line ends mean nothing", (try? ES256Signer(pem: [0x0A] + mangled)) != nil)
    }

    /// A certificate, in DER or in PEM, or a file of several.
    static let certificate = FuzzTarget(
        "certificate",
        longestInput: 3_072,
        words: [
            "-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n", "230601120000Z",
            "20230601120000Z", "\u{55}\u{1D}", "\u{30}\u{82}",
        ],
        seeds: {
            let rows = VectorRows.of("jws_x5c").prefix(1) + VectorRows.of("pkcs7_receipt").prefix(1)
            let files = rows.compactMap { $0.bytes("trusted_root_der_b64") }
            return files + files.map { CertificateClaims.pem($0) }
                + CertificateClaims.inHeader(VectorRows.of("jws_x5c").first?.text("jws") ?? "")
        }
    ) { input in
        let file = Certificate.all(in: input)
        for certificate in file ?? [] { try CertificateClaims.check(certificate) }
        if let file { try claim("a file that is read holds something", !file.isEmpty) }
        guard let certificate = Certificate(der: input) else { return }
        try claim("a certificate is its bytes", certificate.der == input)
        let pem = Certificate.all(in: CertificateClaims.pem(input) + CertificateClaims.pem(input))
        try claim("it is the same in PEM", pem?.map(\.der) == [input, input])
    }
}

private enum CertificateClaims {
    static func check(_ certificate: Certificate) throws {
        try claim("it has a size", certificate.der.count <= Certificate.bytesLimit)
        try claim("it parses again", Certificate(der: certificate.der)?.validity == certificate.validity)
        _ = certificate.hasExtension(AppleMarker.receiptSigning)
        _ = certificate.publicKey?.kind
        let nobody = TrustAnchors([])
        try claim(
            "it does not vouch for itself",
            (try? nobody.chain(from: certificate, through: [certificate], at: nil, .any)) == nil
        )
    }

    static func pem(_ der: [UInt8]) -> [UInt8] {
        let text = Base64.encode(der)
        let lines = stride(from: 0, to: text.count, by: 64).map { Array(text[$0..<min($0 + 64, text.count)]) }
        return Array("-----BEGIN CERTIFICATE-----\n".utf8) + lines.joined(separator: [0x0A])
            + Array("\n-----END CERTIFICATE-----\n".utf8)
    }

    /// The certificates that a JWS brings.
    static func inHeader(_ text: String) -> [[UInt8]] {
        guard let jws = try? CompactJWS(Array(text.utf8)),
            let header = try? CompactJWS.object(jws.header, "header")
        else { return [] }
        return (header.strings("x5c") ?? []).compactMap { Base64.decode($0.utf8) }
    }
}
