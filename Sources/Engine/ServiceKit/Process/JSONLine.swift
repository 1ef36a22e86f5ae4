import Foundation

/// One line of JSON whose members have a fixed order, for people and scripts alike.
package struct JSONLine {
    private var members: [String] = []

    package init() {}

    package mutating func add(_ name: String, _ text: String?) {
        self.addRaw(name, text.map(Self.quoted) ?? "null")
    }

    package mutating func add(_ name: String, _ number: Int64?) {
        self.addRaw(name, number.map(String.init) ?? "null")
    }

    /// Adds a member whose value is JSON already.
    package mutating func addRaw(_ name: String, _ json: String) {
        self.members.append("\(Self.quoted(name)):\(json)")
    }

    package var text: String { "{\(self.members.joined(separator: ","))}" }

    /// Returns a value as one line of JSON, its members in alphabetical order.
    ///
    /// - Throws: An error of the encoder.
    package static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    package static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string can always be encoded.
        guard let data = try? encoder.encode(text) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }
}
