import Mustache
import WireFormats

/// Makes any text one that shows itself and does nothing else: HTML's characters become references, and what would
/// hide, turn or move text becomes an escape that can be read.
package struct ShownContent: MustacheContentType {
    package static let name = "SHOWN"

    package init() {}

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
            // The only one with a use of its own, between the lines of a text field.
            case "\n": shown += "\n"
            case _ where SafeText.isTreacherous(scalar): shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
