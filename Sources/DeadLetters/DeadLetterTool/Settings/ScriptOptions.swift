import ArgumentParser
import DeadLetters
import Terminal
import WireFormats

/// The options that change many letters in the same way.
struct ScriptOptions: ParsableArguments {
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set a field: value = 4990, or items[0].name = \"a b\"; can be repeated.",
            valueName: "path = value"
        )
    )
    var sets: [String] = []

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A change: rename deviceID to deviceId, delete note, convert value to number (or text, flag, time), multiply value by 100, set value = 1; can be repeated. They come before --set.",
            valueName: "change"
        )
    )
    var changes: [String] = []

    @Option(help: "A file with a change on each line; # begins a comment.", completion: .file())
    var script: String?

    var isEmpty: Bool { self.sets.isEmpty && self.changes.isEmpty && self.script == nil }

    /// Reads all changes, those of the file first.
    ///
    /// - Throws: `Complaint` if a text is no change, or the file cannot be read.
    func read() throws -> PayloadScript {
        do {
            var changes = try self.script.map { try Self.changes(inFileAt: $0) } ?? []
            for change in self.changes { changes.append(try PayloadChange(change)) }
            for set in self.sets { changes.append(try PayloadChange("set " + set)) }
            return try PayloadScript(changes)
        } catch let fault as PayloadPath.Fault {
            throw Complaint(fault.sentence)
        }
    }

    private static func changes(inFileAt path: String) throws -> [PayloadChange] {
        guard let text = String(validating: try EditedFile(at: path).read(), as: UTF8.self) else {
            throw Complaint("\(path) is not UTF-8")
        }
        return try PayloadScript(text).changes
    }
}
