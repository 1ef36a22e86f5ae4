// Apple's scalars. One member may be a string, a number or a Boolean, depending on the year, the interface
// and the device; Xcode writes milliseconds with a fraction.

extension JSONObject {
    /// Returns an id, which may be written as a number. The digits never pass through a floating-point
    /// number.
    func identifier(_ name: String) -> String? {
        if let text = self.string(name) { return text }
        guard let value = self.value(name), value.allSatisfy(\.isDigit) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    /// Returns a number, which may be written as a string; a fraction is rounded down. A number with a point
    /// or an exponent is read as a Double, which is exact up to 2^53.
    func number(_ name: String) -> Int64? {
        guard let value = self.value(name), let first = value.first else { return nil }
        return Self.number(first == UInt8(ascii: "\"") ? value.dropFirst().dropLast() : value)
    }

    /// Returns the number that these bytes write, as `number(_:)` does for a member.
    static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard let sign = digits.first, sign.isDigit || sign == UInt8(ascii: "-") else { return nil }
        if digits.count <= 18, let number = digits.decimal(as: Int64.self) { return number }
        let text = String(decoding: digits, as: UTF8.self)
        return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }
    }

    /// Returns a number whose exact value has a meaning, such as a status. It may be written as a string, but
    /// only in its shortest digits; a number that is merely close to another one must not be taken for it.
    func code(_ name: String) -> Int64? {
        guard let value = self.value(name), let first = value.first else { return nil }
        let digits = first == UInt8(ascii: "\"") ? value.dropFirst().dropLast() : value
        let text = String(decoding: digits, as: UTF8.self)
        return Int64(text).flatMap { String($0) == text ? $0 : nil }
    }

    /// Returns how many values a list holds, of whatever type; 1 if the member is no list, 0 if it is
    /// missing.
    func valueCount(_ name: String) -> Int {
        self.elementCount(name) ?? (self.value(name) == nil ? 0 : 1)
    }

    /// Returns a text that is not empty.
    func word(_ name: String) -> String? { self.string(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a Boolean, which may be written as `true`, `1`, `false` or `0`, also in a string.
    func flag(_ name: String) -> Bool? {
        guard let value = self.value(name) else { return nil }
        let isString = value.first == UInt8(ascii: "\"")
        return switch String(decoding: isString ? value.dropFirst().dropLast() : value, as: UTF8.self) {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// Returns a member that is an object.
    func object(_ name: String) -> JSONObject? {
        self.value(name).flatMap { $0.first == UInt8(ascii: "{") ? JSONObject(Array($0)) : nil }
    }

    /// Returns the objects in a list, or the member itself if it is an object. Other values are left out.
    func objects(_ name: String) -> [JSONObject] {
        if let object = self.object(name) { return [object] }
        return self.objects(inList: name) ?? []
    }
}
