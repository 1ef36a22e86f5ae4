import WireFormats

/// A place in the message of a dead letter: member names and indices, such as `a.b[0].c`. A name with other
/// characters stands in brackets and quotes, `["a b"]`.
package struct PayloadPath: Hashable, Sendable {
    /// A sentence for the author of a text that says why the text is not what it should be.
    package struct Fault: Error, Hashable, Sendable {
        /// The sentence. It may quote up to 16 characters of the text.
        package var sentence: String
    }

    enum Step: Hashable, Sendable {
        case member(String)
        case element(Int)
    }

    /// The steps from the message to the place; none for the message itself, which no text names.
    let steps: [Step]

    /// Reads the path at the front of a text, and moves the text on to what follows the path and the spaces
    /// behind it.
    init(before text: inout Substring) throws(Fault) {
        var reader = PathReader(text)
        self.steps = try reader.path()
        text = reader.rest.drop { $0 == " " }
    }

    /// The step of a path that has no other; nil if it has several.
    var onlyStep: Step? { self.steps.count == 1 ? self.steps.first : nil }

    /// Returns what a message has at the place; nil if it has nothing there. If a name occurs twice in an
    /// object, the last value counts.
    func value(in tree: JSONTree) -> JSONTree? {
        var tree = tree
        for step in self.steps {
            switch (step, tree) {
            case (.member(let name), .object):
                guard let member = tree.member(name) else { return nil }
                tree = member
            case (.element(let index), .array(let elements)):
                guard elements.indices.contains(index) else { return nil }
                tree = elements[index]
            default: return nil
            }
        }
        return tree
    }

    /// Returns the message with another value at the place, or without it. A member that the object does not
    /// have yet is added at its end.
    ///
    /// - Parameter value: The new value; nil removes what is there.
    /// - Returns: Nil if the place cannot be: an object or a list on the way, or an element, is missing.
    func replaced(by value: JSONTree?, in tree: JSONTree) -> JSONTree? {
        Self.replaced(by: value, at: self.steps[...], in: tree)
    }

    /// Returns the message with another name for the member at the place, which keeps its place among the others.
    ///
    /// - Returns: Nil if there is no such member, or the object has the new name already.
    func renamed(to name: String, in tree: JSONTree) -> JSONTree? {
        guard case .member(let old)? = self.steps.last else { return nil }
        let holder = PayloadPath(steps: Array(self.steps.dropLast()))
        guard case .object(var members)? = holder.value(in: tree),
            members.contains(where: { $0.name.isExactly(old) }),
            !members.contains(where: { $0.name.isExactly(name) })
        else { return nil }
        for index in members.indices where members[index].name.isExactly(old) { members[index].name = name }
        return holder.replaced(by: .object(members), in: tree)
    }

    private init(steps: [Step]) { self.steps = steps }

    private static func replaced(by value: JSONTree?, at steps: ArraySlice<Step>, in tree: JSONTree)
        -> JSONTree?
    {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch (step, tree) {
        case (.member(let name), .object(var members)):
            guard let index = members.lastIndex(where: { $0.name.isExactly(name) }) else {
                guard let value, rest.isEmpty else { return nil }
                return .object(members + [JSONTree.Member(name, value)])
            }
            if rest.isEmpty, value == nil {
                // Each member of the name is removed, so that none of the earlier ones takes its place.
                return .object(members.filter { !$0.name.isExactly(name) })
            }
            guard let new = self.replaced(by: value, at: rest, in: members[index].value) else { return nil }
            members[index].value = new
            return .object(members)
        case (.element(let index), .array(var elements)):
            guard elements.indices.contains(index) else { return nil }
            if rest.isEmpty, value == nil {
                elements.remove(at: index)
                return .array(elements)
            }
            guard let new = self.replaced(by: value, at: rest, in: elements[index]) else { return nil }
            elements[index] = new
            return .array(elements)
        default: return nil
        }
    }
}

extension PayloadPath: CustomStringConvertible {
    /// The path as it is written, in printable characters.
    package var description: String {
        self.steps.reduce(into: "") { text, step in
            switch step {
            case .member(let name): text = Self.text(text, then: name)
            case .element(let index): text += "[\(index)]"
            }
        }
    }

    /// Returns the text of a path with one more name, in printable characters.
    static func text(_ path: String, then name: String) -> String {
        let isPlain =
            !name.isEmpty
            && !name.unicodeScalars.contains {
                ".[]=!<>~ \"\\".unicodeScalars.contains($0) || SafeText.isTreacherous($0)
            }
        guard isPlain else { return path + "[" + JSONTree.string(name).line() + "]" }
        return path.isEmpty ? name : "\(path).\(name)"
    }
}

/// Reads a path from the front of a text, step by step.
private struct PathReader {
    private(set) var rest: Substring

    init(_ text: Substring) { self.rest = text.drop { $0 == " " } }

    mutating func path() throws(PayloadPath.Fault) -> [PayloadPath.Step] {
        var path: [PayloadPath.Step] = []
        while true {
            if self.rest.first == "[" {
                path.append(try self.bracket())
            } else if path.isEmpty || self.rest.first == "." {
                if !path.isEmpty { self.rest.removeFirst() }
                path.append(.member(try self.name()))
            } else {
                return path
            }
            guard path.count <= JSONTree.depthLimit else {
                throw PayloadPath.Fault(
                    sentence: "The path has more than \(JSONTree.depthLimit) steps."
                )
            }
        }
    }

    private mutating func name() throws(PayloadPath.Fault) -> String {
        let name = self.rest.prefix { !".[]=!<>~ \"".contains($0) }
        guard !name.isEmpty else {
            throw PayloadPath.Fault(
                sentence:
                    "Here should stand the name of a member: \"\(SafeText.line(self.rest, limit: 16))\"."
            )
        }
        self.rest = self.rest[name.endIndex...]
        return String(name)
    }

    private mutating func bracket() throws(PayloadPath.Fault) -> PayloadPath.Step {
        let whole = self.rest
        self.rest.removeFirst()
        if self.rest.first == "\"" {
            var end = self.rest.index(after: self.rest.startIndex)
            while end < self.rest.endIndex, self.rest[end] != "\"" {
                if self.rest[end] == "\\" { self.rest.formIndex(after: &end) }
                if end < self.rest.endIndex { self.rest.formIndex(after: &end) }
            }
            if end < self.rest.endIndex {
                let quoted = self.rest[...end]
                self.rest = self.rest[quoted.endIndex...]
                if case .string(let name)? = try? JSONTree(parsing: Array(quoted.utf8)),
                    self.rest.first == "]"
                {
                    self.rest.removeFirst()
                    return .member(name)
                }
            }
        } else {
            let digits = self.rest.prefix { $0 != "]" }
            if let index = Int(digits), index >= 0, digits.utf8.allSatisfy(\.isDigit),
                digits.endIndex < self.rest.endIndex
            {
                self.rest = self.rest[digits.endIndex...].dropFirst()
                return .element(index)
            }
        }
        throw PayloadPath.Fault(
            sentence:
                "In brackets should stand an index or a name in quotes: \"\(SafeText.line(whole, limit: 16))\"."
        )
    }
}
