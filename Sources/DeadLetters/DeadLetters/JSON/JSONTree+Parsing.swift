import WireFormats

extension JSONTree {
    /// The reason why a text is not JSON, and the place of the fault.
    package struct Fault: Error, Hashable, Sendable {
        /// The line of the fault, counted from 1.
        package var line: Int
        /// The column of the fault, counted from 1 in Unicode scalars.
        package var column: Int
        /// A sentence for people. It quotes nothing of the text.
        package var sentence: String
    }

    /// A parsed document, with the places of its outermost members as offsets in bytes.
    struct Document {
        var tree: JSONTree
        var members: [(name: Int, value: Int)]
    }

    /// The deepest nesting of lists and objects that is read; none of our messages nests as deep.
    package static let depthLimit = JSONOutline.depthLimit
    /// The most values in one document, values inside lists and objects included. A tree takes about fifty
    /// times the bytes of its text.
    package static let valuesLimit = 200_000

    /// Reads one value in UTF-8, with white space around it and perhaps a byte order mark before it (RFC
    /// 8259). Half of a surrogate pair of escapes is valid JSON but not Unicode; it becomes U+FFFD.
    ///
    /// - Throws: `Fault` if the text is no such value, nests deeper than `depthLimit` or has more than
    ///   `valuesLimit` values.
    package init(parsing text: [UInt8]) throws(Fault) {
        self = try Self.document(text, takesHalfPairs: true).tree
    }

    /// Reads one value like `init(parsing:)`, and finds the places of its outermost members.
    ///
    /// - Parameter takesHalfPairs: whether half of a surrogate pair becomes U+FFFD; if not, it is a fault.
    static func document(_ text: [UInt8], takesHalfPairs: Bool = false) throws(Fault) -> Document {
        let limits = JSONLimits(
            depth: self.depthLimit,
            values: self.valuesLimit,
            takesHalfPairs: takesHalfPairs
        )
        let outline: JSONOutline
        do throws(JSONFault) {
            outline = try JSONOutline(parsing: text, limits)
        } catch {
            throw Self.fault(self.sentence(for: error.cause), at: error.offset, in: text)
        }
        var members: [(name: Int, value: Int)] = []
        outline.members(of: outline.root) { name, value in
            members.append(
                (outline.wholeRange(name).lowerBound, outline.wholeRange(value).lowerBound)
            )
        }
        return Document(tree: JSONTree(outline, outline.root), members: members)
    }

    private init(_ outline: JSONOutline, _ index: Int) {
        switch outline.kind(index) {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .number: self = .number(String(decoding: outline.bytes(index), as: UTF8.self))
        case .string: self = .string(outline.string(index) ?? "")
        case .array:
            var elements: [JSONTree] = []
            let end = outline.index(after: index)
            var element = index + 1
            while element < end {
                elements.append(JSONTree(outline, element))
                element = outline.index(after: element)
            }
            self = .array(elements)
        case .object:
            var members: [Member] = []
            outline.members(of: index) { name, value in
                members.append(Member(outline.string(name) ?? "", JSONTree(outline, value)))
            }
            self = .object(members)
        }
    }

    /// Makes a fault of the byte at `offset`: its line and its column.
    static func fault(_ sentence: String, at offset: Int, in text: [UInt8]) -> Fault {
        let before = text.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // A byte of UTF-8 begins a character unless its two highest bits are 10.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return Fault(line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column, sentence: sentence)
    }

    /// Returns the sentence for people about a fault.
    private static func sentence(for cause: JSONFault.Cause) -> String {
        switch cause {
        case .notUTF8: "The text is not UTF-8."
        case .tooLong: "The text is too long."
        case .tooManyValues: "There are more than \(self.valuesLimit) values."
        case .tooDeep: "It nests deeper than \(self.depthLimit) levels."
        case .noValue: "The text ends where a value should stand."
        case .unquoted: "This is no value: a text needs double quotes."
        case .more: "Something follows the value, which should be all there is."
        case .noName: "Here should stand the name of a member, in double quotes."
        case .noColon: "A colon should follow the name of a member."
        case .noCommaOrBrace: "Here should stand a comma or a closing brace."
        case .noCommaOrBracket: "Here should stand a comma or a closing bracket."
        case .noDigits: "Here a number lacks its digits."
        case .controlCharacter: "A text goes over the end of a line, or has a control character in it."
        case .openString: "A text begins here and does not end."
        case .openEscape: "The text ends within an escape."
        case .unknownEscape: "JSON has no such escape."
        case .noHexadecimalDigits: "Four hexadecimal digits should follow here."
        case .halfPair: "This is half of a pair of escapes."
        }
    }
}
