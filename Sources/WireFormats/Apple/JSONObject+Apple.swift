// Apple's scalars. The same member comes as a string, a number or a boolean, depending on the year, the route and the
// device; Xcode writes milliseconds with a fraction.

extension JSONObject {
    /// An id, which may be written as a number. Never taken through a floating-point number.
    func identifier(_ name: String) -> String? {
        if let text = self.string(name) { return text }
        guard let value = self.value(name), value.allSatisfy(\.isDigit) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    /// A whole number, which may be written as a string; what it has beyond the point is dropped.
    func number(_ name: String) -> Int64? {
        guard let value = self.value(name), let first = value.first else { return nil }
        return Self.number(first == UInt8(ascii: "\"") ? value.dropFirst().dropLast() : value)
    }

    static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard let sign = digits.first, sign.isDigit || sign == UInt8(ascii: "-") else { return nil }
        if digits.count <= 18, let number = digits.decimal(as: Int64.self) { return number }
        let text = String(decoding: digits, as: UTF8.self)
        return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }
    }

    /// A number that says what is meant, such as a status, which may be written as a string: digits in their shortest
    /// form. What is only near such a number is none.
    func code(_ name: String) -> Int64? {
        guard let value = self.value(name), let first = value.first else { return nil }
        let digits = first == UInt8(ascii: "\"") ? value.dropFirst().dropLast() : value
        let text = String(decoding: digits, as: UTF8.self)
        return Int64(text).flatMap { String($0) == text ? $0 : nil }
    }

    /// How many values a member that is a list holds, whatever they are; one, if it is no list.
    func valueCount(_ name: String) -> Int {
        guard let value = self.value(name) else { return 0 }
        guard value.first == UInt8(ascii: "[") else { return 1 }
        let text = Array(value)
        var scanner = JSONScanner(text, from: 0, depthLimit: 32)
        var count = 0
        // The whole has been checked before.
        try? scanner.elements { _ in count += 1 }
        return count
    }

    /// A text that says something.
    func word(_ name: String) -> String? { self.string(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// A yes or no, as a boolean, a number or either of them in a string.
    func flag(_ name: String) -> Bool? {
        guard let value = self.value(name) else { return nil }
        let isString = value.first == UInt8(ascii: "\"")
        return switch String(decoding: isString ? value.dropFirst().dropLast() : value, as: UTF8.self) {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// A member that is an object.
    func object(_ name: String) -> JSONObject? {
        self.value(name).flatMap { $0.first == UInt8(ascii: "{") ? JSONObject(Array($0)) : nil }
    }

    /// The objects of a member that is a list of them, or the one that it is. What is none is passed over.
    func objects(_ name: String) -> [JSONObject] {
        guard let value = self.value(name) else { return [] }
        if let object = self.object(name) { return [object] }
        let text = Array(value)
        var scanner = JSONScanner(text, from: 0, depthLimit: 32)
        var objects: [JSONObject] = []
        // The whole has been checked before: an array is the only thing that this can fail on.
        try? scanner.elements { element in
            guard text[element.lowerBound] == UInt8(ascii: "{") else { return }
            JSONObject(Array(text[element])).map { objects.append($0) }
        }
        return objects
    }
}
