import Foundation

/// JSON as Foundation reads it: what our own reading is held against.
indirect enum FoundationJSON: Equatable {
    /// True and false are 1 and 0 here. Foundation reads more than 15 digits in two ways, which differ in the last.
    struct Number: Equatable {
        let double: Double
        /// Where it was written as one.
        let integer: Int64?

        static func == (one: Self, other: Self) -> Bool {
            one.double == other.double || abs(one.double - other.double) < 1e-12 * abs(one.double)
        }
    }

    case null
    case number(Number)
    case text(String)
    case list([FoundationJSON])
    case object([String: FoundationJSON])

    /// Nil if Foundation does not take it for JSON.
    init?(_ text: [UInt8]) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        else { return nil }
        self.init(value)
    }

    private init?(_ value: Any) {
        // Lists and objects first: to ask whether one is a class makes one of all that is in it.
        switch value {
        case let list as [Any]: self = .list(list.compactMap(FoundationJSON.init))
        case let object as [String: Any]: self = .object(object.compactMapValues(FoundationJSON.init))
        case let text as String: self = .text(text)
        case is NSNull: self = .null
        case let number as NSNumber:
            self = .number(Number(double: number.doubleValue, integer: Int64(number.stringValue)))
        default: return nil
        }
    }

    var members: [String: FoundationJSON]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// How deep lists and objects stand in each other; 1 for a value that is neither.
    var depth: Int {
        switch self {
        case .null, .number, .text: 1
        case .list(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        }
    }
}
