import WireFormats

/// One change of the message of a dead letter, as a line of a script writes it:
///
/// - `set PATH = VALUE`: the value is JSON, or a text without quotes. A member that is missing is added.
/// - `rename PATH to NAME`
/// - `delete PATH`
/// - `convert PATH to number`, `text` or `flag`: from a number, a text or `true` and `false`.
/// - `convert PATH to time`, from seconds or milliseconds since 1970; `convert PATH to time +08:00`, from a time
///   without a zone, whose zone is told so.
/// - `multiply PATH by NUMBER`: exact in decimal digits.
///
/// Where a message has nothing at the path, every change but `set` leaves it as it is.
package struct PayloadChange: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case set(JSONTree)
        case rename(String)
        case delete
        case convert(ValueConversion)
    }

    let path: PayloadPath
    let kind: Kind

    /// Reads one change.
    ///
    /// - Throws: `PayloadPath.Fault` if the text is not a change.
    package init(_ text: String) throws(PayloadPath.Fault) {
        guard text.utf8.count <= 4_096 else {
            throw PayloadPath.Fault(sentence: "The change has more than 4096 bytes.")
        }
        var rest = text.drop { $0 == " " }
        let verb = rest.prefix { $0 != " " }
        rest = rest.dropFirst(verb.count)
        guard ["set", "rename", "delete", "convert", "multiply"].contains(verb) else {
            throw PayloadPath.Fault(
                sentence:
                    "A change begins with set, rename, delete, convert or multiply, not with \"\(SafeText.line(String(verb), limit: 16))\"."
            )
        }
        self.path = try PayloadPath(before: &rest)
        let last = String(rest.reversed().drop { $0 == " " }.reversed())
        switch verb {
        case "set": self.kind = .set(try Self.value(last))
        case "rename": self.kind = .rename(try Self.name(try Self.word(after: "to", in: last), self.path))
        case "delete":
            guard last.isEmpty else { throw Self.fault("After the path should stand nothing", last) }
            self.kind = .delete
        case "convert":
            let wish = try Self.word(after: "to", in: last)
            guard let conversion = ValueConversion(wish) else {
                throw Self.fault("After \"to\" should stand number, text, flag, time or time +08:00", wish)
            }
            self.kind = .convert(conversion)
        default:
            let factor = try Self.word(after: "by", in: last)
            guard let conversion = ValueConversion(factor: factor) else {
                throw Self.fault("After \"by\" should stand a number of at most 15 digits", factor)
            }
            self.kind = .convert(conversion)
        }
    }

    private static func fault(_ sentence: String, _ found: String) -> PayloadPath.Fault {
        PayloadPath.Fault(sentence: "\(sentence), not \"\(SafeText.line(found, limit: 16))\".")
    }

    private static func word(after preposition: String, in text: String) throws(PayloadPath.Fault) -> String {
        guard text.hasPrefix(preposition + " ") else {
            throw Self.fault("After the path should stand \"\(preposition)\"", text)
        }
        return String(text.dropFirst(preposition.count).drop { $0 == " " })
    }

    /// Reads the value of `set`: JSON if the text begins like JSON, else the text itself.
    private static func value(_ text: String) throws(PayloadPath.Fault) -> JSONTree {
        guard text.hasPrefix("=") else { throw Self.fault("After the path should stand =", text) }
        let value = String(text.dropFirst().drop { $0 == " " })
        guard let first = value.first else {
            throw PayloadPath.Fault(sentence: "After = should stand a value; an empty text is \"\".")
        }
        if let tree = try? JSONTree(parsing: Array(value.utf8)) { return tree }
        guard !"\"{[".contains(first) else {
            throw PayloadPath.Fault(sentence: "The value begins like JSON, and is none.")
        }
        return .string(value)
    }

    /// Reads the new name of `rename`, which stays in the same object.
    private static func name(_ text: String, _ path: PayloadPath) throws(PayloadPath.Fault) -> String {
        var rest = text[...]
        guard case .member? = path.steps.last else {
            throw PayloadPath.Fault(sentence: "Only a member of an object can be renamed.")
        }
        guard case .member(let name)? = try PayloadPath(before: &rest).onlyStep, rest.isEmpty else {
            throw Self.fault("After \"to\" should stand one name", text)
        }
        return name
    }

    /// The change without its values, which may be personal data: for the audit trail.
    var words: String {
        switch self.kind {
        case .set: "set \(self.path)"
        case .rename(let name): "rename \(self.path) to \(PayloadPath.text("", then: name))"
        case .delete: "delete \(self.path)"
        case .convert(let conversion): conversion.words(of: self.path)
        }
    }

    /// Returns the message with this change. The message itself comes back if it has nothing to be changed.
    ///
    /// - Throws: `EditFault` if the change cannot be made.
    func applied(to tree: JSONTree) throws(DeadLetterPayload.EditFault) -> JSONTree {
        let old = self.path.value(in: tree)
        switch self.kind {
        case .set(let value):
            guard let changed = self.path.replaced(by: value, in: tree) else {
                throw DeadLetterPayload.EditFault("There is nothing to hold \"\(self.path)\".")
            }
            return changed
        case .delete: return old.flatMap { _ in self.path.replaced(by: nil, in: tree) } ?? tree
        case .convert(let conversion):
            guard let old else { return tree }
            guard let new = conversion.value(of: old) else {
                throw DeadLetterPayload.EditFault("\"\(self.path)\" cannot become \(conversion.wish).")
            }
            return self.path.replaced(by: new, in: tree) ?? tree
        case .rename(let name):
            guard old != nil else { return tree }
            guard let renamed = self.path.renamed(to: name, in: tree) else {
                throw DeadLetterPayload.EditFault(
                    "There is a \"\(PayloadPath.text("", then: name))\" already."
                )
            }
            return renamed
        }
    }
}
