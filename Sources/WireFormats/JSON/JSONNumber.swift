/// A number as JSON writes it, to be compared with another without loss: neither 64 bits nor a Double hold them all.
struct JSONNumber: Hashable, Sendable {
    private var isNegative = false
    /// Without zeros at either end. None is zero.
    private var digits: [UInt8] = []
    /// How many digits stand before the point; negative if zeros follow it.
    private var magnitude = 0

    /// Nil for what is not a number of JSON, or has an exponent that nobody means.
    init?(_ text: String) {
        guard text.utf8.count <= 4_096, text.utf8.last?.isDigit == true,
            text.utf8.first.map({ $0.isDigit || $0 == UInt8(ascii: "-") }) == true,
            case .number? = try? JSONTree(parsing: Array(text.utf8))
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

    /// Less than 0 if this number is the smaller, 0 if they are the same.
    func compare(to other: JSONNumber) -> Int {
        guard self.sign == other.sign else { return self.sign < other.sign ? -1 : 1 }
        guard self != other else { return 0 }
        let isSmaller =
            self.magnitude == other.magnitude
            ? self.digits.lexicographicallyPrecedes(other.digits) : self.magnitude < other.magnitude
        return isSmaller != self.isNegative ? -1 : 1
    }

    private var sign: Int { self.digits.isEmpty ? 0 : self.isNegative ? -1 : 1 }
}
