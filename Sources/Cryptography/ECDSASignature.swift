/// A signature of P-256, which OpenSSL writes in DER and JWTs as two numbers of 32 bytes.
enum ECDSASignature {
    /// Two integers of at most 33 bytes, each with a tag and a length, and the same for the sequence.
    static let longestDER = 72
    private static let numberLength = 32

    /// The two numbers, each padded to its full length; nil if this is not a signature of P-256.
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
        // A zero in front keeps a number with a high first bit from being a negative one.
        let digits = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        guard digits.count <= self.numberLength else { return nil }
        return [UInt8](repeating: 0, count: self.numberLength - digits.count) + digits
    }
}
