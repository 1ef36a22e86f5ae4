/// Base64 as clients send it: broken into lines, in the URL alphabet, with plus signs that became spaces,
/// with too little padding or too much. `ReceiptInput` undoes percent-encoding before.
///
/// The repairs only restore what the text must have been. Whether the result is a receipt is decided
/// elsewhere.
struct ReceiptText {
    /// The digits in the standard alphabet, without padding, with spaces where the text had them. Other bytes
    /// are kept too, and refused by the decoder.
    private let digits: [UInt8]
    private let hasSpaces: Bool

    /// Repairs a text. Nil if it is empty, or has a digit after the padding or an escape that cannot be
    /// explained.
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
                // Such an escape is left over from a JSON text that was not decoded.
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

    /// The texts that the input may have been, the most likely first. A space was a plus sign that passed
    /// through a query string, or was inserted by somebody.
    var readings: [[UInt8]] {
        guard self.hasSpaces else { return [self.digits] }
        let space = UInt8(ascii: " ")
        return [
            self.digits.map { $0 == space ? UInt8(ascii: "+") : $0 },
            self.digits.filter { $0 != space },
        ]
    }

    /// Decodes one reading. A rest of digits at the end that gives no whole bytes, because the text was cut,
    /// is dropped.
    static func bytes(_ reading: [UInt8]) -> [UInt8]? {
        Base64Digits.standard.decode(reading.span)
            ?? Base64Digits.standard.decode(reading.span.extracting(first: reading.count / 4 * 4))
    }
}
