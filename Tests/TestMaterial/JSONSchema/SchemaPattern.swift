import Foundation

/// The keyword `pattern`: an ECMA regular expression that may match anywhere, so ours begin with ^ and end with $.
struct SchemaPattern {
    private let expression: NSRegularExpression

    init(_ pattern: String) throws(JSONSchema.Fault) {
        guard pattern.hasPrefix("^"), pattern.hasSuffix("$") else {
            throw JSONSchema.Fault(
                place: pattern,
                problem: "is a pattern that matches in the middle of a text"
            )
        }
        // In ECMA's dialect a final $ is the very end, and not before a last line feed.
        let whole = pattern.dropLast() + "\\z"
        guard let expression = try? NSRegularExpression(pattern: String(whole)) else {
            throw JSONSchema.Fault(place: pattern, problem: "is no regular expression")
        }
        self.expression = expression
    }

    func matches(_ text: String) -> Bool {
        let range = NSRange(location: 0, length: text.utf16.count)
        return self.expression.firstMatch(in: text, range: range) != nil
    }
}
