/// A strict decoder for base64 (RFC 4648, section 4): no spaces, no missing padding, no URL-safe letters, no
/// stray bits.
enum StrictBase64 {
    /// Decodes base64; nil if the text is not in the strict form.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count / 4 * 3)
        var held: UInt32 = 0
        var heldBits = 0
        for byte in text.dropLast(padding) {
            guard let sextet = Self.sextet(byte) else { return nil }
            held = held &<< 6 | UInt32(sextet)
            heldBits += 6
            if heldBits >= 8 {
                heldBits -= 8
                decoded.append(UInt8(truncatingIfNeeded: held &>> UInt32(heldBits)))
                held &= (1 &<< UInt32(heldBits)) &- 1
            }
        }
        return held == 0 ? decoded : nil
    }

    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5a: byte &- 0x41
        case 0x61...0x7a: byte &- 0x61 &+ 26
        case 0x30...0x39: byte &- 0x30 &+ 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
