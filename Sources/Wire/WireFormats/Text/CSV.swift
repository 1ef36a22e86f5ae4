/// Comma-separated values (RFC 4180).
package enum CSV {
    /// Returns a row with its carriage return, but without the line feed.
    package static func line(_ cells: [String]) -> String {
        cells.map(self.cell).joined(separator: ",") + "\r"
    }

    /// Returns a cell in quotation marks, with control characters as escapes.
    private static func cell(_ text: String) -> String {
        var text = SafeText.line(text, limit: 100_000)
        // A spreadsheet would run such a text as a formula.
        if let first = text.first, "=+-@".contains(first) { text = "'" + text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}
