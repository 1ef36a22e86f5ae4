import Foundation

/// A file of `Vectors`: one JSON object per line.
package enum VectorFile {
    /// No row has this name.
    struct Missing: Error {
        var name: String
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Vectors"
    )

    /// Returns the rows of a file. A row that cannot be read is left out, which the tests' counts of rows show.
    package static func rows<Row: Decodable>(_ name: String, as type: Row.Type = Row.self) -> [Row] {
        self.lines(name).compactMap { try? JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    /// Returns the lines of a file; none if it cannot be read.
    package static func lines(_ name: String) -> [String] {
        let file = self.folder.appending(path: "\(name).jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}

/// A row of vectors that has a name, by which a failed test tells it from the others.
package protocol VectorRow: Decodable, Sendable, CustomStringConvertible {
    var name: String { get }

    static var all: [Self] { get }
}

extension VectorRow {
    package var description: String { self.name }

    /// Returns the row of this name.
    package static func named(_ name: String) throws -> Self {
        guard let row = self.all.first(where: { $0.name == name }) else {
            throw VectorFile.Missing(name: name)
        }
        return row
    }
}
