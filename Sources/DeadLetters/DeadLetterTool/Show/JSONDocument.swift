import Foundation
import Terminal
import WireFormats

/// The output of `--json`: one document, or one for each line.
enum JSONDocument {
    /// Returns a value as JSON that is safe on a terminal.
    static func text(_ value: some Encodable, isPretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isPretty
            ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        return self.tamed(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes characters that JSON allows but that control a terminal as escapes.
    ///
    /// A line end stands between values only, never in a text, so it is kept.
    private static func tamed(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 != "\n" && SafeText.isTreacherous($0) }) else {
            return text
        }
        var tamed = ""
        for scalar in text.unicodeScalars {
            if scalar != "\n", SafeText.isTreacherous(scalar) {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    let digits = String(unit, radix: 16)
                    tamed += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                tamed.unicodeScalars.append(scalar)
            }
        }
        return tamed
    }

    /// Prints a value as one document.
    static func print(_ value: some Encodable) throws { Console.line(try self.text(value)) }
}
