// What members of a payload say. Their types are whatever somebody's server made of them.
extension JSONOutline {
    /// A text, or the digits of a whole number just as they stand: no number of ours holds all of them. Nil for anything
    /// else, and for what is empty. A number that is written with a point or an exponent has been through a Double,
    /// and is no id any more.
    func idText(_ index: Int?) -> String? {
        guard let index, !self.range(index).isEmpty else { return nil }
        switch self.kind(index) {
        case .string: return self.string(index)
        case .number:
            let digits = self.bytes(index)
            return digits.allSatisfy(\.isDigit) ? String(decoding: digits, as: UTF8.self) : nil
        case .null, .true, .false, .array, .object: return nil
        }
    }

    /// An id that is a number of at most 64 bits, whether it is written as one or as a text: without zeros before it.
    func decimalID(_ index: Int?) -> String? {
        guard let number = self.idText(index)?.utf8.decimal(as: UInt64.self), number > 0 else { return nil }
        return String(number)
    }

    /// A number without a fraction, or its digits as a text.
    func wholeNumber(_ index: Int?) -> Int64? {
        guard let index else { return nil }
        switch self.kind(index) {
        case .string: return self.string(index).flatMap { Int64($0) }
        case .number:
            let digits = String(decoding: self.bytes(index), as: UTF8.self)
            return Int64(digits) ?? Double(digits).flatMap { Int64(exactly: $0) }
        case .null, .true, .false, .array, .object: return nil
        }
    }

    /// Whether this is a number, and the number 1, however it is spelt. `true` is another value.
    func isOne(_ index: Int?) -> Bool {
        guard let index, self.kind(index) == .number else { return false }
        if self.isNamed(index, "1") { return true }
        return JSONNumber(String(decoding: self.bytes(index), as: UTF8.self)) == JSONNumber("1")
    }

    /// Whether this is a text with something in it.
    func isText(_ index: Int?) -> Bool {
        guard let index else { return false }
        return self.kind(index) == .string && !self.range(index).isEmpty
    }
}
