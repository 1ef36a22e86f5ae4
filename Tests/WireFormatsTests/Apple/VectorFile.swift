import Foundation

/// A file of `Vectors`: one JSON object per line.
enum VectorFile {
    /// Nothing for a row that cannot be read, which the tests' counts of rows show.
    static func rows<Row: Decodable>(_ name: String) -> [Row] {
        self.lines(name).compactMap { try? JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    static func rows<Row: Decodable>(of name: String, as type: Row.Type) -> [Row] { self.rows(name) }

    static func lines(_ name: String) -> [String] {
        guard
            let url = Bundle.module.url(forResource: name, withExtension: "jsonl", subdirectory: "Vectors"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").map(String.init)
    }
}
