package import Foundation

/// A row of `growingio_vectors.jsonl`: an upload, and what is in it or why it cannot be read.
package struct UploadRow: VectorRow {
    package struct Request: Decodable, Sendable {
        package var method: String
        package var target: String
        package var headers: [String: String]
        package var body_base64: String
    }

    package var name: String
    package var request: Request
    package var account: String?
    package var error: String?

    package static let all: [UploadRow] = VectorFile.rows("growingio_vectors")

    /// The line of the file that this row was read from.
    package var line: [UInt8] {
        let lines = VectorFile.lines("growingio_vectors")
        let place = Self.all.firstIndex { $0.name == self.name } ?? 0
        return Array(lines[place].utf8)
    }

    /// The body of the request.
    package var body: [UInt8] { Data(base64Encoded: self.request.body_base64).map { [UInt8]($0) } ?? [] }

    /// The expected members `events` and `activations`, as Foundation reads them.
    package var expected: NSDictionary {
        let object = (try? JSONSerialization.jsonObject(with: Data(self.line))) as? [String: Any] ?? [:]
        return object.filter { ["events", "activations", "account"].contains($0.key) } as NSDictionary
    }
}
