internal import COpenSSL

/// The private key of a PEM text (RFC 7468) that holds exactly one.
struct PrivateKeyPEM {
    /// The key as PKCS#8 in DER.
    let bytes: [UInt8]

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    /// The longest text that is read, in bytes. The text of a key of P-256 takes 240 bytes.
    private static let textLimit = 16 * 1024

    /// Reads the text.
    ///
    /// - Throws: `notPEM` if the text is not one PEM block, `encrypted` or `notPKCS8` if its label names
    ///   another kind of key. The key itself is not parsed here.
    init(_ text: [UInt8]) throws(ES256Signer.Fault) {
        guard text.count <= Self.textLimit else { throw .notPEM }
        // Lines may end as on any system. White space around a line is ignored, because people add some when
        // they copy a key.
        let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map(Self.trimmed).filter { !$0.isEmpty }
        guard let first = lines.first, let last = lines.last, lines.count >= 3,
            let label = Self.label(first, after: Self.begin), Self.label(last, after: Self.end) == label,
            !lines.dropFirst().dropLast().contains(where: { $0.starts(with: Self.dashes) })
        else { throw .notPEM }
        switch String(decoding: label, as: UTF8.self) {
        case "PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": throw .encrypted
        default: throw .notPKCS8
        }
        guard let bytes = Self.decoded(Array(lines.dropFirst().dropLast().joined())) else { throw .notPEM }
        self.bytes = bytes
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
        while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
        return line
    }

    private static func label(_ line: ArraySlice<UInt8>, after prefix: [UInt8]) -> ArraySlice<UInt8>? {
        guard line.starts(with: prefix), line.reversed().starts(with: self.dashes),
            line.count > prefix.count + self.dashes.count
        else { return nil }
        return line.dropFirst(prefix.count).dropLast(self.dashes.count)
    }

    /// Returns the decoded bytes; nil unless the text is base64 with padding.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard !text.isEmpty, text.count % 4 == 0, padding <= 2,
            text.dropLast(padding).allSatisfy(self.isBase64)
        else { return nil }
        return unsafe [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { output, count in
            let decoded = unsafe EVP_DecodeBlock(output.baseAddress, text, Int32(text.count))
            count = max(0, Int(decoded) - padding)
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
