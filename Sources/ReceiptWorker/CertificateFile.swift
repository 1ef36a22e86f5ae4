import Cryptography
import WireFormats

/// Certificates in a file: one in DER, as Apple offers them for download, or any number in PEM (RFC 7468).
struct CertificateFile {
    let certificates: [Certificate]

    /// Nil if there is none in it, or something that is none.
    init?(_ bytes: [UInt8]) {
        if let certificate = Certificate(der: bytes) {
            self.certificates = [certificate]
            return
        }
        let blocks = Self.blocks(String(decoding: bytes, as: UTF8.self))
        let certificates = blocks.compactMap { Base64.decode($0).flatMap { Certificate(der: $0) } }
        guard !certificates.isEmpty, certificates.count == blocks.count else { return nil }
        self.certificates = certificates
    }

    /// What stands between the marks, without line breaks. A block without an end is one that is no certificate.
    private static func blocks(_ text: String) -> [[UInt8]] {
        text.split(separator: "-----BEGIN CERTIFICATE-----", omittingEmptySubsequences: false).dropFirst()
            .map { block in
                guard let end = block.firstRange(of: "-----END CERTIFICATE-----") else { return [0] }
                return block[..<end.lowerBound].utf8.filter { $0 > 0x20 }
            }
    }
}
