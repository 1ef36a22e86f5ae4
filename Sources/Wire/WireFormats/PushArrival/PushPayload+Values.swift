// The values in a payload. Every app's server chooses their types, so each is read in all the types that are
// possible for it.
extension JSONOutline {
    /// Returns a text, or the digits of a whole number as they stand, because no number type holds all of
    /// them. Nil for anything else, and for an empty text. A number with a point or an exponent has passed
    /// through a Double, so its digits are not the id any more.
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

    /// Returns the digits of an id of at most 64 bits, written as a number or as a text, without leading
    /// zeros. Nil for 0 and for anything else.
    func decimalID(_ index: Int?) -> String? {
        guard let number = self.idText(index)?.utf8.decimal(as: UInt64.self), number > 0 else { return nil }
        return String(number)
    }

    /// Returns a number without a fraction, or such a number in a text.
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

    /// Returns whether the value is a number equal to 1, in any spelling. The value `true` is not.
    func isOne(_ index: Int?) -> Bool {
        guard let index, self.kind(index) == .number else { return false }
        if self.isNamed(index, "1") { return true }
        return JSONNumber(String(decoding: self.bytes(index), as: UTF8.self)) == JSONNumber("1")
    }

    /// Returns whether the value is a text that is not empty.
    func isText(_ index: Int?) -> Bool {
        guard let index else { return false }
        return self.kind(index) == .string && !self.range(index).isEmpty
    }
}
