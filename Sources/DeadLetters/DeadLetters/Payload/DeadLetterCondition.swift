import WireFormats

/// A condition on the message of a dead letter, as the option `--where` takes it: `path op value`, or a path
/// alone, which holds if the message has something at that path.
///
/// The operators are `=`, `!=`, `<`, `<=`, `>`, `>=` and `~`, which means
/// "contains".
///
/// A value in double quotes is a text and is compared as a text. Any other value is compared as a number,
/// exactly and whatever its size, if it is a number and the leaf at the path is one too. The leaf may be a
/// number in quotes, as JSON's 64-bit numbers often are. In all other cases the two are compared as texts;
/// only texts have an order then.
///
/// If the message has nothing at the path, or a list or an object, no operator holds, not even `!=`.
package struct DeadLetterCondition: Hashable, Sendable {
    /// An operator; its raw value is the operator as the condition spells it.
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        // Longer operators stand before their own beginnings, because the first match is taken.
        case notEqual = "!="
        case atMost = "<="
        case atLeast = ">="
        case equal = "="
        case less = "<"
        case more = ">"
        case contains = "~"
    }

    /// The reason why a text is not a condition.
    package typealias Fault = PayloadPath.Fault

    struct Comparison: Hashable, Sendable {
        var comparison: Operator
        var text: String
        /// The value as a number; nil if it is compared as a text.
        var number: JSONNumber?
    }

    private let path: PayloadPath
    private let comparison: Comparison?

    /// Reads a condition of at most 4,096 bytes.
    ///
    /// - Throws: `Fault` if the text is longer or is not a condition.
    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= 4_096 else {
            throw Fault(sentence: "The condition has more than 4096 bytes.")
        }
        var name = text[...]
        self.path = try PayloadPath(before: &name)
        guard !name.isEmpty else {
            self.comparison = nil
            return
        }
        guard let comparison = Operator.allCases.first(where: { name.hasPrefix($0.rawValue) }) else {
            throw Fault(
                sentence:
                    "After the path should stand =, !=, <, <=, >, >= or ~, not \"\(SafeText.line(name, limit: 16))\"."
            )
        }
        let value = name.dropFirst(comparison.rawValue.count).drop { $0 == " " }
        guard value.first == "\"" else {
            guard !value.isEmpty else {
                throw Fault(
                    sentence: "After \(comparison.rawValue) should stand a value; an empty text is \"\"."
                )
            }
            guard let first = value.first, !"=!<>~".contains(first) else {
                throw Fault(
                    sentence:
                        "There is no such operator: =, !=, <, <=, >, >= and ~ are; else put the value in quotes."
                )
            }
            let trimmed = String(value.reversed().drop { $0 == " " }.reversed())
            self.comparison = Comparison(comparison: comparison, text: trimmed, number: JSONNumber(trimmed))
            return
        }
        guard case .string(let quoted)? = try? JSONTree(parsing: Array(value.utf8)) else {
            throw Fault(sentence: "The value begins with a double quote, and is no text in JSON's quotes.")
        }
        self.comparison = Comparison(comparison: comparison, text: quoted, number: nil)
    }

    /// Returns whether the condition holds for a message; false if there is no message.
    package func holds(for tree: JSONTree?) -> Bool {
        guard let leaf = tree.flatMap(self.path.value) else { return false }
        guard let comparison else { return true }
        return comparison.holds(for: leaf)
    }
}

extension DeadLetterCondition.Comparison {
    func holds(for leaf: JSONTree) -> Bool {
        guard let text = leaf.leafText else { return false }
        if self.comparison == .contains { return self.text.isEmpty || text.utf8.contains(self.text.utf8) }
        if let number, let other = Self.number(of: leaf) { return self.holds(other.compare(to: number)) }
        guard self.isOrder else { return self.holds(Self.compare(text, self.text)) }
        // Only texts have an order here: a leaf that is a number, a Boolean or null is neither before nor
        // after a text.
        guard case .string = leaf else { return false }
        return self.holds(Self.compare(text, self.text))
    }

    private static func number(of leaf: JSONTree) -> JSONNumber? {
        switch leaf {
        case .number(let digits): JSONNumber(digits)
        case .string(let text): JSONNumber(text)
        default: nil
        }
    }

    /// Compares two texts by the bytes of their UTF-8, which is the order of their Unicode scalars.
    private static func compare(_ one: String, _ other: String) -> Int {
        one.utf8.elementsEqual(other.utf8) ? 0 : one.utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    }

    private var isOrder: Bool {
        switch self.comparison {
        case .less, .atMost, .more, .atLeast: true
        case .equal, .notEqual, .contains: false
        }
    }

    private func holds(_ order: Int) -> Bool {
        switch self.comparison {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .atMost: order <= 0
        case .more: order > 0
        case .atLeast: order >= 0
        case .contains: false
        }
    }
}
