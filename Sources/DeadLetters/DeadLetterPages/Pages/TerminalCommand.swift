import DeadLetters
import WebPages
import WireFormats

/// The command that does in a terminal what a page does.
enum TerminalCommand {
    /// Returns a command of `dead-letters` that a shell takes as it stands; nil if a word has a character that must
    /// not be copied into a terminal.
    static func text(_ words: [String]) -> String? {
        guard words.allSatisfy({ !$0.unicodeScalars.contains(where: SafeText.isTreacherous) }) else {
            return nil
        }
        return (["dead-letters"] + words.map(Self.quoted)).joined(separator: " ")
    }

    /// Returns a command with the options of a filter; nil if the command has no such option.
    ///
    /// - Parameters:
    ///   - takesIDs: whether the command takes ids of letters.
    ///   - more: further words of the command.
    static func text(
        _ name: String,
        _ form: FilterForm,
        takesIDs: Bool = false,
        and more: [String] = []
    ) -> String? {
        guard form.faults.isEmpty else { return nil }
        var words = [name]
        for pair in form.fields.pairs {
            let value = pair.value
            switch pair.name {
            case "id":
                guard takesIDs else { return nil }
                words.append(value)
            // The option takes texts only.
            case "key" where value.hasPrefix("hex:"): return nil
            case "since": words += ["--since", Self.time(value, form.filter.since)]
            case "until": words += ["--until", Self.time(value, form.filter.until)]
            default: words += ["--\(pair.name)", value]
            }
        }
        return self.text(words + more)
    }

    /// A period as it stands, and any other time as the options take it.
    private static func time(_ text: String, _ time: Int64?) -> String {
        guard let time, text.last.map({ !"smhd".contains($0) }) ?? true else { return text }
        return RFC3339.string(time)
    }

    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.utf8.allSatisfy { $0.isAlphanumeric || "._:/=@%+,-".utf8.contains($0) }
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
