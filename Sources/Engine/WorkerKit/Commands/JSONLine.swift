import Foundation

/// One line of JSON whose members have a fixed order, for people and scripts alike.
struct JSONLine {
    private var members: [String] = []

    mutating func add(_ name: String, _ text: String?) { self.addRaw(name, text.map(Self.quoted) ?? "null") }

    mutating func add(_ name: String, _ number: Int64?) {
        self.addRaw(name, number.map(String.init) ?? "null")
    }

    /// Adds a member whose value is JSON already.
    mutating func addRaw(_ name: String, _ json: String) {
        self.members.append("\(Self.quoted(name)):\(json)")
    }

    var text: String { "{\(self.members.joined(separator: ","))}" }

    static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string can always be encoded.
        guard let data = try? encoder.encode(text) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }
}
