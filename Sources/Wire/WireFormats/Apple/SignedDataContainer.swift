import Cryptography

/// The outer structure of an app receipt, read but not verified: a CMS SignedData (RFC 5652, section 5) that
/// contains its content, in DER or BER.
struct SignedDataContainer {
    /// The most certificates that are accepted, which is more than any receipt has: OpenSSL takes a tenth of
    /// a millisecond for each.
    static let certificatesLimit = 8

    /// The receipt's attributes, which are signed.
    let content: ArraySlice<UInt8>
    /// The signer; nil unless there is exactly one, of the plain kind that Apple uses.
    let signer: Signer?

    /// A signer that signs the content itself, without signed attributes (RFC 5652, section 5.4).
    struct Signer {
        /// The bytes of the file from its certificates to the issuer and serial number of the signer's
        /// certificate. They are all that decides which key signs.
        let origin: ArraySlice<UInt8>
        let digest: Digest
        let signature: [UInt8]
    }

    /// The object identifiers 1.2.840.113549.1.7.2 (signed data) and 1.2.840.113549.1.7.1 (data), encoded.
    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    private static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// Reads a container.
    init(_ bytes: [UInt8]) throws(ASN1Reader.Fault) {
        let span = bytes.span
        var file = ASN1Reader(bytes.indices)
        var contentInfo = ASN1Reader(try file.next(.sequence, in: span))
        try file.finish()
        try Self.expect(Self.signedData, &contentInfo, in: span)
        var wrapping = ASN1Reader(try contentInfo.next(.context0, in: span))
        var signedData = ASN1Reader(try wrapping.next(.sequence, in: span))

        _ = try signedData.next(.integer, in: span)
        _ = try signedData.next(.set, in: span)
        self.content = try Self.content(try signedData.next(.sequence, in: span), in: span).slice(of: bytes)
        var certificates: Range<Int>?
        if signedData.nextTag(in: span) == .context0 {
            certificates = try signedData.next(.context0, in: span)
        }
        try Self.checkCount(of: certificates ?? 0..<0, in: span)
        if signedData.nextTag(in: span) == .context1 {
            // Revocation lists are skipped, because nothing here uses them.
            _ = try signedData.next(in: span)
        }
        let signers = try signedData.next(.set, in: span)
        self.signer =
            if let certificates {
                try Self.signer(signers, after: certificates.lowerBound, in: bytes)
            } else { nil }
    }

    private static func content(
        _ range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ASN1Reader.Fault) -> ASN1Reader.Octets {
        var encapsulated = ASN1Reader(range)
        try self.expect(self.data, &encapsulated, in: bytes)
        var wrapping = ASN1Reader(try encapsulated.next(.context0, in: bytes))
        let content = try wrapping.next(in: bytes).octets(in: bytes)
        try wrapping.finish()
        return content
    }

    private static func checkCount(
        of certificates: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ASN1Reader.Fault) {
        var reader = ASN1Reader(certificates)
        var count = 0
        while !reader.isAtEnd {
            _ = try reader.next(.sequence, in: bytes)
            count += 1
        }
        guard count <= self.certificatesLimit else { throw ASN1Reader.Fault() }
    }

    /// Reads the signer. `start` is where the certificates start.
    private static func signer(
        _ range: Range<Int>,
        after start: Int,
        in file: [UInt8]
    ) throws(ASN1Reader.Fault) -> Signer? {
        let bytes = file.span
        var infos = ASN1Reader(range)
        guard !infos.isAtEnd else { return nil }
        var info = ASN1Reader(try infos.next(.sequence, in: bytes))
        guard infos.isAtEnd else { return nil }
        _ = try info.next(.integer, in: bytes)
        guard info.nextTag(in: bytes) == .sequence else { return nil }
        let identifier = try info.next(.sequence, in: bytes)
        guard let digest = self.digest(try info.next(.sequence, in: bytes), in: bytes),
            info.nextTag(in: bytes) == .sequence
        else { return nil }
        // The algorithm is rsaEncryption, or RSA with the digest's name. In both cases the digest is the one
        // above.
        guard self.isRSA(try info.next(.sequence, in: bytes), in: bytes) else { return nil }
        return Signer(
            origin: file[start..<identifier.upperBound],
            digest: digest,
            signature: Array(try info.next(in: bytes).octets(in: bytes).slice(of: file))
        )
    }

    /// The object identifiers 2.16.840.1.101.3.4.2.1 (SHA-256) and 1.3.14.3.2.26 (SHA-1), encoded.
    private static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    private static let sha1: [UInt8] = [0x2B, 0x0E, 0x03, 0x02, 0x1A]
    /// The object identifier 1.2.840.113549.1.1.1 (rsaEncryption), encoded.
    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]

    /// Returns the digest that an algorithm identifier names; nil if it is neither SHA-256 nor SHA-1.
    private static func digest(_ range: Range<Int>, in bytes: Span<UInt8>) -> Digest? {
        if self.begins(range, with: self.sha256, in: bytes) { return .sha256 }
        return self.begins(range, with: self.sha1, in: bytes) ? .sha1 : nil
    }

    private static func isRSA(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        self.begins(range, with: self.rsa, in: bytes)
    }

    private static func begins(_ range: Range<Int>, with identifier: [UInt8], in bytes: Span<UInt8>) -> Bool {
        var reader = ASN1Reader(range)
        return (try? self.expect(identifier, &reader, in: bytes)) != nil
    }

    private static func expect(
        _ identifier: [UInt8],
        _ reader: inout ASN1Reader,
        in bytes: Span<UInt8>
    ) throws(ASN1Reader.Fault) {
        let found = try reader.next(.objectIdentifier, in: bytes)
        guard found.count == identifier.count, zip(found, identifier).allSatisfy({ bytes[$0] == $1 }) else {
            throw ASN1Reader.Fault()
        }
    }
}
