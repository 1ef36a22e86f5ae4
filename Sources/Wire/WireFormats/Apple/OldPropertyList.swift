/// A property list of the old style, as in receipts of iOS 6: `{ "name" = "value"; … }`, without nesting and
/// with strings only.
struct OldPropertyList {
    /// The most members that are read; the list of a receipt has twenty.
    static let membersLimit = 1_000

    /// The most bytes of a name; no name of Apple's has a tenth of it.
    static let nameBytesLimit = 512

    private(set) var members: [String: String] = [:]

    /// Reads a list. Nil for any other text, if a name is too long, and if a name occurs twice, because readers
    /// differ in which value they use.
    init?(_ text: [UInt8]) {
        var scanner = Scanner(rest: text[...])
        guard scanner.skip("{") else { return nil }
        while !scanner.skip("}") {
            guard self.members.count < Self.membersLimit, let name = scanner.string(),
                name.utf8.count <= Self.nameBytesLimit, scanner.skip("="),
                let value = scanner.string(), self.members.updateValue(value, forKey: name) == nil
            else { return nil }
            if scanner.skip(";") { continue }
            // The last member may lack its semicolon.
            guard scanner.skip("}") else { return nil }
            break
        }
        guard scanner.isAtEnd else { return nil }
    }

    subscript(_ name: String) -> String? { self.members[name] }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        var isAtEnd: Bool {
            mutating get {
                self.skipWhiteSpace()
                return self.rest.isEmpty
            }
        }

        mutating func skipWhiteSpace() {
            self.rest = self.rest.drop { $0.isWhiteSpace }
        }

        mutating func skip(_ expected: Unicode.Scalar) -> Bool {
            self.skipWhiteSpace()
            guard self.rest.first == UInt8(ascii: expected) else { return false }
            self.rest = self.rest.dropFirst()
            return true
        }

        /// Reads a string in quotes with escapes, or a word without quotes.
        mutating func string() -> String? {
            guard self.skip("\"") else { return self.word() }
            var bytes: [UInt8] = []
            while let byte = self.rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""):
                    return String(validating: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = self.rest.popFirst() else { return nil }
                    bytes.append(Self.unescaped(escaped))
                default:
                    bytes.append(byte)
                }
            }
            return nil
        }

        private mutating func word() -> String? {
            let word = self.rest.prefix { $0.isVisible && !"{}()=;,\"<>".utf8.contains($0) }
            guard !word.isEmpty else { return nil }
            self.rest = self.rest.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }

        /// Any other character after a backslash stands for itself.
        private static func unescaped(_ byte: UInt8) -> UInt8 {
            switch byte {
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "t"): 0x09
            default: byte
            }
        }
    }
}
