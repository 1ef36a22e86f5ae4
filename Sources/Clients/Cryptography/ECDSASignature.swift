/// Converts a signature of P-256 from DER, which OpenSSL writes, to the two numbers of 32 bytes that JWTs
/// carry (RFC 7518, section 3.4).
enum ECDSASignature {
    /// The longest signature in DER, in bytes: two integers of at most 33 bytes, each with a tag and a
    /// length, inside a sequence with a tag and a length.
    static let longestDER = 72
    private static let numberLength = 32

    /// Returns r and s, each padded to 32 bytes; nil if the bytes are not a signature of P-256 in DER.
    static func raw(der: some Collection<UInt8>) -> [UInt8]? {
        var rest = Array(der)[...]
        guard rest.popFirst() == 0x30, let length = rest.popFirst(), Int(length) == rest.count,
            let r = self.number(&rest), let s = self.number(&rest), rest.isEmpty
        else { return nil }
        return r + s
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), length > 0, Int(length) <= rest.count
        else { return nil }
        // DER puts a zero before a number whose first bit is set, since the number would be negative
        // otherwise.
        let digits = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        guard digits.count <= self.numberLength else { return nil }
        return [UInt8](repeating: 0, count: self.numberLength - digits.count) + digits
    }
}
