import Mustache
import WireFormats

/// Escapes texts for HTML pages, so that a text can only show itself.
///
/// Characters with a meaning in HTML become references. Characters that would hide, turn or move text become
/// escapes that can be read.
package struct ShownContent: MustacheContentType {
    /// The name under which templates choose this way of escaping.
    package static let name = "SHOWN"

    /// Creates the escaping, which has no state.
    package init() {}

    /// Returns a text that shows the given one in HTML, in an element or in an attribute.
    package func escapeText(_ text: String) -> String {
        var shown = ""
        shown.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": shown += "&amp;"
            case "<": shown += "&lt;"
            case ">": shown += "&gt;"
            case "\"": shown += "&quot;"
            case "'": shown += "&#39;"
            // A line feed is the only control character that is kept: it separates the lines of a text field.
            case "\n": shown += "\n"
            case _ where SafeText.isTreacherous(scalar): shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
