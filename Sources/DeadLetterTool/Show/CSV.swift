import WireFormats

/// Comma-separated values (RFC 4180).
enum CSV {
    static func line(_ cells: [String]) -> String {
        cells.map(self.cell).joined(separator: ",") + "\r"
    }

    private static func cell(_ text: String) -> String {
        var text = SafeText.line(text, limit: 100_000)
        // A spreadsheet would carry it out.
        if let first = text.first, "=+-@".contains(first) { text = "'" + text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}
