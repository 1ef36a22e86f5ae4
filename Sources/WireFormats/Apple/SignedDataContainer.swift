import Cryptography

/// The outside of an app receipt, found but not verified: a CMS SignedData (RFC 5652, section 5) with its content in
/// it, in DER or BER.
struct SignedDataContainer {
    /// More certificates than any receipt has: OpenSSL takes a tenth of a millisecond for each.
    static let certificatesLimit = 8

    let content: ArraySlice<UInt8>
    /// Nil unless there is exactly one, of the plain kind that Apple uses.
    let signer: Signer?

    /// A signer whose signature is simply of the content: no signed attributes (RFC 5652, section 5.4).
    struct Signer {
        /// The file from its certificates up to the issuer and serial number of the signer's: all that decides whose
        /// key it is.
        let origin: ArraySlice<UInt8>
        let digest: Digest
        let signature: [UInt8]
    }

    /// 1.2.840.113549.1.7.2 and 1.2.840.113549.1.7.1.
    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    private static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    init(_ bytes: [UInt8]) throws(ASN1Reader.Fault) {
        var file = ASN1Reader(bytes[...])
        var contentInfo = ASN1Reader(try file.next(.sequence).content)
        try file.finish()
        try Self.expect(Self.signedData, in: &contentInfo)
        var wrapping = ASN1Reader(try contentInfo.next(.context0).content)
        var signedData = ASN1Reader(try wrapping.next(.sequence).content)

        _ = try signedData.next(.integer)
        _ = try signedData.next(.set)
        self.content = try Self.content(try signedData.next(.sequence))
        var certificates: ArraySlice<UInt8>?
        if signedData.nextTag == .context0 {
            certificates = try signedData.next(.context0).content
        }
        try Self.checkCount(of: certificates ?? [])
        if signedData.nextTag == .context1 {
            // Revocation lists, which nobody asks about.
            _ = try signedData.next()
        }
        let signers = try signedData.next(.set)
        self.signer = try certificates.flatMap { certificates throws(ASN1Reader.Fault) in
            try Self.signer(signers, bytes[certificates.startIndex...])
        }
    }

    private static func content(_ element: ASN1Reader.Element) throws(ASN1Reader.Fault) -> ArraySlice<UInt8> {
        var encapsulated = ASN1Reader(element.content)
        try self.expect(self.data, in: &encapsulated)
        var wrapping = ASN1Reader(try encapsulated.next(.context0).content)
        let content = try wrapping.next().octets()
        try wrapping.finish()
        return content
    }

    private static func checkCount(of certificates: ArraySlice<UInt8>) throws(ASN1Reader.Fault) {
        var reader = ASN1Reader(certificates)
        var count = 0
        while !reader.isAtEnd {
            _ = try reader.next(.sequence)
            count += 1
        }
        guard count <= self.certificatesLimit else { throw ASN1Reader.Fault() }
    }

    /// What is left of the file starts with the certificates.
    private static func signer(
        _ element: ASN1Reader.Element,
        _ rest: ArraySlice<UInt8>
    ) throws(ASN1Reader.Fault) -> Signer? {
        var infos = ASN1Reader(element.content)
        guard !infos.isAtEnd else { return nil }
        var info = ASN1Reader(try infos.next(.sequence).content)
        guard infos.isAtEnd else { return nil }
        _ = try info.next(.integer)
        guard info.nextTag == .sequence else { return nil }
        let identifier = try info.next(.sequence).content
        guard let digest = self.digest(try info.next(.sequence)), info.nextTag == .sequence else {
            return nil
        }
        // rsaEncryption, or the same with the digest's name: either way the digest above is the one.
        guard self.isRSA(try info.next(.sequence)) else { return nil }
        return Signer(
            origin: rest[..<identifier.endIndex],
            digest: digest,
            signature: Array(try info.next().octets())
        )
    }

    private static func digest(_ algorithm: ASN1Reader.Element) -> Digest? {
        switch self.identifier(of: algorithm) {
        case [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]: .sha256
        case [0x2B, 0x0E, 0x03, 0x02, 0x1A]: .sha1
        default: nil
        }
    }

    /// 1.2.840.113549.1.1.1.
    private static func isRSA(_ algorithm: ASN1Reader.Element) -> Bool {
        self.identifier(of: algorithm) == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    }

    private static func identifier(of algorithm: ASN1Reader.Element) -> ArraySlice<UInt8>? {
        var reader = ASN1Reader(algorithm.content)
        return try? reader.next(.objectIdentifier).content
    }

    private static func expect(
        _ identifier: [UInt8],
        in reader: inout ASN1Reader
    ) throws(ASN1Reader.Fault) {
        guard try reader.next(.objectIdentifier).content == identifier[...] else { throw ASN1Reader.Fault() }
    }
}
