import WireFormats

/// A JSON document as it was written. Members keep their order and repeated names. A number keeps its digits,
/// since no number type holds every number of JSON.
package indirect enum JSONTree: Hashable, Sendable {
    /// One member of an object. Names may repeat within an object.
    package struct Member: Hashable, Sendable {
        /// The name, without escapes.
        package var name: String
        package var value: JSONTree

        package init(_ name: String, _ value: JSONTree) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// The digits of a number, as the document writes them.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    /// Returns the value of a member; if the name occurs twice, the last value.
    package func member(_ name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.isExactly(name) }?.value
    }

    /// The value of a leaf as text; nil for a list or an object.
    package var leafText: String? {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): text
        case .array, .object: nil
        }
    }
}

// MARK: - Writing

extension JSONTree {
    /// The document without white space, with every number in its own digits.
    package var compact: [UInt8] {
        var printer = JSONPrinter(longestText: nil, indent: nil)
        printer.print(self)
        return Array(printer.text.utf8)
    }

    /// Returns the document over many lines for people; every character is printable.
    ///
    /// - Parameter longestText: characters of a text or a name that are shown before a `…`. Nil shows
    ///   everything, so that the lines are JSON again.
    package func lines(longestText: Int? = nil) -> [String] {
        var printer = JSONPrinter(longestText: longestText, indent: "  ")
        printer.print(self)
        return printer.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns the document on one line for people; every character is printable.
    ///
    /// - Parameter longestText: characters of a text or a name that are shown before a `…`; nil shows
    ///   everything.
    package func line(longestText: Int? = nil) -> String {
        var printer = JSONPrinter(longestText: longestText, indent: nil)
        printer.print(self)
        return printer.text
    }
}

/// Writes a tree. Characters that a terminal could take for a command become JSON escapes.
private struct JSONPrinter {
    var text = ""
    let longestText: Int?
    /// The indentation of one level; nil writes one line.
    let indent: String?
    private var depth = 0

    init(longestText: Int?, indent: String?) {
        self.longestText = longestText
        self.indent = indent
    }

    mutating func print(_ tree: JSONTree) {
        switch tree {
        case .null, .bool, .number: self.shortened(tree.leafText ?? "")
        case .string(let text): self.quoted(text)
        case .array(let elements):
            self.list(elements, between: "[", and: "]") { $0.print($1) }
        case .object(let members):
            self.list(members, between: "{", and: "}") { printer, member in
                printer.quoted(member.name)
                printer.text += printer.indent == nil ? ":" : ": "
                printer.print(member.value)
            }
        }
    }

    private mutating func list<Element>(
        _ elements: [Element],
        between open: String,
        and close: String,
        print: (inout JSONPrinter, Element) -> Void
    ) {
        self.text += open
        self.depth += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { self.text += "," }
            self.breakLine()
            print(&self, element)
        }
        self.depth -= 1
        if !elements.isEmpty { self.breakLine() }
        self.text += close
    }

    private mutating func breakLine() {
        guard let indent else { return }
        self.text += "\n"
        for _ in 0..<self.depth { self.text += indent }
    }

    private mutating func shortened(_ digits: String) {
        guard let longestText, digits.utf8.count > longestText else { return self.text += digits }
        self.text += digits.prefix(longestText) + "…"
    }

    private mutating func quoted(_ string: String) {
        self.text += "\""
        var room = self.longestText ?? .max
        for scalar in string.unicodeScalars {
            guard room > 0 else {
                self.text += "… (\(string.utf8.count) bytes)"
                break
            }
            room -= 1
            switch scalar {
            case "\"": self.text += "\\\""
            case "\\": self.text += "\\\\"
            case "\n": self.text += "\\n"
            case "\r": self.text += "\\r"
            case "\t": self.text += "\\t"
            case _ where SafeText.isTreacherous(scalar):
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16)
                    self.text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            default: self.text.unicodeScalars.append(scalar)
            }
        }
        self.text += "\""
    }
}
