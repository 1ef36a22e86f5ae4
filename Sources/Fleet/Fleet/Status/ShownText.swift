/// Numbers and texts as a narrow column shows them.
enum ShownText {
    /// Returns a count in at most five characters, such as `9999`, `12.3k` and `1.2M`.
    static func count(_ number: Int) -> String {
        guard number > 9_999 else { return String(number) }
        return self.short(Double(number))
    }

    /// Returns a number per second in at most five characters.
    static func rate(_ number: Double) -> String {
        guard number < 9_999.5 else { return self.short(number) }
        let tenths = (number * 10).rounded() / 10
        if tenths < 10, tenths != tenths.rounded() { return "\(tenths)" }
        return number > 0 && number < 0.05 ? "<0.1" : String(Int(number.rounded()))
    }

    /// Returns a time in seconds in at most five characters: `59s`, `59m`, `47h`, `12d`.
    static func age(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(max(0, seconds))s"
        case ..<3_600: "\(seconds / 60)m"
        case ..<172_800: "\(seconds / 3_600)h"
        default: "\(min(seconds / 86_400, 9_999))d"
        }
    }

    private static func short(_ number: Double) -> String {
        var rest = number
        for unit in ["k", "M", "G"] {
            rest /= 1_000
            let tenths = (rest * 10).rounded() / 10
            if tenths < 100 { return "\(tenths)\(unit)" }
            if rest.rounded() < 1_000 { return "\(Int(rest.rounded()))\(unit)" }
        }
        return ">999G"
    }

    /// Cuts a text to a width, with `…` at its end.
    static func cut(_ text: String, _ width: Int) -> String {
        text.count > width ? text.prefix(width - 1) + "…" : text
    }

    /// Breaks a text between words into lines of at most this width. A longer word is cut.
    static func wrap(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ").map({ self.cut(String($0), width) }) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
