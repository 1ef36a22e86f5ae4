/// A signature of ES256 as JOSE writes it: r and s, 32 bytes each, big-endian (RFC 7518, section 3.4).
///
/// OpenSSL expects the two numbers as `SEQUENCE { INTEGER, INTEGER }` in DER.
struct JOSESignature {
    static let byteCount = 64

    /// The signature in DER, as OpenSSL verifies it.
    let der: [UInt8]

    /// Converts the bytes of a signature. Nil unless there are exactly 64 bytes. Any 64 bytes are accepted
    /// here; OpenSSL's verification rejects wrong numbers.
    init?(_ raw: [UInt8]) {
        guard raw.count == Self.byteCount else { return nil }
        let r = Self.integer(raw.prefix(32))
        let s = Self.integer(raw.suffix(32))
        // Each integer takes at most 35 bytes, so every length fits in a single byte.
        self.der = [0x30, UInt8(r.count + s.count)] + r + s
    }

    /// Returns the shortest INTEGER for a number: without leading zeros, except for one where the first bit
    /// would make the number negative.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 & 0x80 != 0 }) ?? true {
            digits.insert(0, at: 0)
        }
        return [0x02, UInt8(digits.count)] + digits
    }
}
