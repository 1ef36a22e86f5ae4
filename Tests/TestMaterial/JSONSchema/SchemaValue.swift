import Foundation

/// Any JSON value, as JSON Schema sees one: an integer is a number without a fraction, however it is written.
indirect enum SchemaValue: Hashable, Decodable {
    case null
    case boolean(Bool)
    case number(Decimal)
    case string(String)
    case array([SchemaValue])
    case object([String: SchemaValue])

    init(_ text: [UInt8]) throws { self = try JSONDecoder().decode(SchemaValue.self, from: Data(text)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let boolean = try? container.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([SchemaValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: SchemaValue].self))
        }
    }

    /// The name that the keyword `type` has for it.
    var type: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .number(let number): number.isWhole ? "integer" : "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Whether the value is of this type.
    func isOf(_ type: String) -> Bool { self.type == type || type == "number" && self.type == "integer" }

    /// The members; none of what is no object.
    var members: [String: SchemaValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    var elements: [SchemaValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var number: Decimal? {
        guard case .number(let number) = self else { return nil }
        return number
    }
}

extension Decimal {
    fileprivate var isWhole: Bool {
        var (value, whole) = (self, Decimal())
        unsafe NSDecimalRound(&whole, &value, 0, .down)
        return whole == self
    }
}
