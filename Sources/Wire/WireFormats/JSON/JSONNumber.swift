/// A number of JSON that can be compared with another one without loss. Some numbers of JSON fit neither into
/// 64 bits nor into a Double.
package struct JSONNumber: Hashable, Sendable {
    private var isNegative = false
    /// The decimal digits without zeros at either end; empty for zero.
    private var digits: [UInt8] = []
    /// The number of digits before the decimal point; negative if zeros follow the point.
    private var magnitude = 0

    /// Reads a number of at most 4,096 bytes. Nil if the text is not a JSON number, or its exponent is beyond
    /// a million in either direction.
    package init?(_ text: String) {
        guard text.utf8.count <= 4_096, text.utf8.last?.isDigit == true,
            text.utf8.first.map({ $0.isDigit || $0 == UInt8(ascii: "-") }) == true,
            JSONOutline(Array(text.utf8))?.kind(0) == .number
        else { return nil }
        var rest = Array(text.utf8)[...]
        self.isNegative = rest.first == UInt8(ascii: "-")
        if self.isNegative { rest = rest.dropFirst() }
        let whole = rest.prefix { $0.isDigit }
        rest = rest[whole.endIndex...]
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix { $0.isDigit }
            rest = rest[fraction.endIndex...]
        }
        var exponent = 0
        if !rest.isEmpty {
            guard let number = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
                -1_000_000...1_000_000 ~= number
            else { return nil }
            exponent = number
        }
        let zero = UInt8(ascii: "0")
        let all = (whole + fraction).drop { $0 == zero }
        self.magnitude = whole.count + exponent - (whole.count + fraction.count - all.count)
        self.digits = Array(all.reversed().drop { $0 == zero }.reversed())
        if self.digits.isEmpty { (self.isNegative, self.magnitude) = (false, 0) }
    }

    /// Returns -1 if this number is the smaller one, 1 if it is the larger one, and 0 if both are equal.
    package func compare(to other: JSONNumber) -> Int {
        guard self.sign == other.sign else { return self.sign < other.sign ? -1 : 1 }
        guard self != other else { return 0 }
        let isSmaller =
            self.magnitude == other.magnitude
            ? self.digits.lexicographicallyPrecedes(other.digits) : self.magnitude < other.magnitude
        return isSmaller != self.isNegative ? -1 : 1
    }

    private var sign: Int { self.digits.isEmpty ? 0 : self.isNegative ? -1 : 1 }
}
