import SwiftProtobuf

/// The type that a message wants the value of a field to have, for a publisher who has sent another one.
///
/// The generated code does not show the types of its fields. So a value of each type is tried, and the first that
/// can be decoded tells.
enum ExpectedType: String, CaseIterable {
    // The order matters: a field of type double takes each whole number, and one of type string takes each time.
    case text = "a string"
    case time = "a time such as \"2026-11-21T08:00:00Z\""
    case number = "a number"
    case wholeNumber = "a whole number"
    case flag = "true or false"
    case object = "an object"
    case list = "a list"

    /// Finds the type that a field wants; nil if it takes none of these.
    ///
    /// - Parameter name: The field's name as a JSON string, with its quotation marks.
    init?<Decoded: Message>(of name: some Collection<UInt8>, in type: Decoded.Type) {
        let found = Self.allCases.first { candidate in
            let text = Array("{".utf8) + name + Array(":\(candidate.sample)}".utf8)
            return (try? Decoded(jsonUTF8Bytes: text)) != nil
        }
        guard let found else { return nil }
        self = found
    }

    /// A JSON value of this type, and of none of the types before it.
    private var sample: String {
        switch self {
        case .text: "\"a\""
        case .time: "\"2026-11-21T08:00:00Z\""
        case .number: "0.5"
        case .wholeNumber: "1"
        case .flag: "true"
        case .object: "{}"
        case .list: "[]"
        }
    }

    /// Returns the message for a value of the wrong type: the field, the type of its value, and the type that it
    /// has to have.
    static func complaint<Decoded: Message>(
        about name: String,
        is noun: String,
        in type: Decoded.Type
    ) -> String {
        let expected = ExpectedType(of: Array("\"\(name)\"".utf8), in: type)
        // It has bytes that are not UTF-8, or half of a surrogate pair.
        if expected == .text, noun == JSONKind.string.noun {
            return "The value of `\(name)` is a string that is not Unicode."
        }
        return "The value of `\(name)` is \(noun); "
            + (expected.map { "it has to be \($0.rawValue)." } ?? "its schema does not allow that there.")
    }
}
