/// The changes of a script, one on each line. Empty lines, and lines that begin with `#`, are left out.
package struct PayloadScript: Hashable, Sendable {
    /// The changes in their order.
    package let changes: [PayloadChange]

    /// The most changes of one script.
    private static let limit = 100

    /// Reads a script.
    ///
    /// - Throws: `PayloadPath.Fault` with the number of the line that is not a change; or if there are no
    ///   changes, or too many.
    package init(_ text: String) throws(PayloadPath.Fault) {
        var changes: [PayloadChange] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard let first = line.first, first != "#" else { continue }
            do {
                changes.append(try PayloadChange(String(line)))
            } catch {
                throw PayloadPath.Fault(sentence: "Line \(index + 1): \(error.sentence)")
            }
        }
        try self.init(changes)
    }

    /// Makes a script of changes.
    ///
    /// - Throws: `PayloadPath.Fault` if there are none, or more than 100.
    package init(_ changes: [PayloadChange]) throws(PayloadPath.Fault) {
        guard (1...Self.limit).contains(changes.count) else {
            throw PayloadPath.Fault(sentence: "A script has 1 to \(Self.limit) changes.")
        }
        self.changes = changes
    }

    /// The changes without their values, for the audit trail.
    package var words: String { self.changes.map(\.words).joined(separator: "; ") }
}

extension DeadLetterPayload {
    /// Returns the value to send instead, changed by a script; nil if the script changes nothing of it.
    ///
    /// - Throws: `EditFault` if a change cannot be made, or the changed message cannot be sent (`edited(json:)`).
    package func changed(by script: PayloadScript) throws(EditFault) -> [UInt8]? {
        guard self.form != .text, let text = self.editable, let old = try? JSONTree(parsing: text) else {
            throw EditFault("This value is no message whose fields could be changed.")
        }
        var tree = old
        for change in script.changes { tree = try change.applied(to: tree) }
        return tree == old ? nil : try self.edited(json: tree.compact)
    }
}
