/// Base64 as it arrives from clients: broken into lines, in the alphabet for URLs, percent-encoded, with plus signs
/// that became spaces on the way, with too little padding or too much.
///
/// It is only ever made into what it must have been; that it then is a receipt, somebody else finds out.
struct ReceiptText {
    /// The digits in the standard alphabet, without padding; a space where there was one.
    private let digits: [UInt8]
    private let hasSpaces: Bool

    /// Nil if there is a character that no accident explains.
    init?(_ text: ArraySlice<UInt8>) {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        var hasSpaces = false
        var isPadded = false
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case 0x0A, 0x0D, 0x09:
                continue
            case UInt8(ascii: "\\"):
                // From a JSON text that was not read as one.
                switch rest.popFirst() {
                case UInt8(ascii: "n"), UInt8(ascii: "r"): continue
                case UInt8(ascii: "/") where !isPadded: digits.append(UInt8(ascii: "/"))
                default: return nil
                }
            case UInt8(ascii: "="):
                isPadded = true
            case _ where isPadded:
                return nil
            case UInt8(ascii: "-"):
                digits.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"):
                digits.append(UInt8(ascii: "/"))
            case UInt8(ascii: " "):
                hasSpaces = true
                digits.append(byte)
            default:
                digits.append(byte)
            }
        }
        guard !digits.isEmpty else { return nil }
        self.digits = digits
        self.hasSpaces = hasSpaces
    }

    /// What it may have been, the likeliest first. A space was a plus sign before it was in a query string; or
    /// somebody put it there.
    var readings: [[UInt8]] {
        guard self.hasSpaces else { return [self.digits] }
        let space = UInt8(ascii: " ")
        return [
            self.digits.map { $0 == space ? UInt8(ascii: "+") : $0 },
            self.digits.filter { $0 != space },
        ]
    }

    /// The bytes of a reading; what is left over at its end, where it was cut, is dropped.
    static func bytes(_ reading: [UInt8]) -> [UInt8]? {
        Base64Digits.standard.decode(reading.span)
            ?? Base64Digits.standard.decode(reading.span.extracting(first: reading.count / 4 * 4))
    }
}
