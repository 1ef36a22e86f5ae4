import Foundation
import WorkerTestSupport

/// The files of `Schemas`.
enum Examples {
    private static let schemas = Documents.root.appending(path: "Schemas")

    /// The names of the examples for a topic.
    static func files(_ topic: String) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(
            atPath: self.schemas.appending(path: "examples/\(topic)").path()
        )
        return (files ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: self.schemas.appending(path: path)))
    }
}
