import Foundation
import Testing
import WorkerTestSupport

/// A file of our own Swift. Generated files are left out.
struct SwiftFile {
    /// The path from the repository's folder.
    let path: String
    let text: String

    /// All files in a folder of the repository, such as `Sources`.
    static func all(in folder: String) throws -> [SwiftFile] {
        let root = Documents.root.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: root.path())?.compactMap { $0 as? String } ?? []
        let files = try names.sorted().filter { $0.hasSuffix(".swift") && !$0.hasSuffix(".pb.swift") }.map {
            SwiftFile(
                path: "\(folder)/\($0)",
                text: try String(contentsOf: root.appending(path: $0), encoding: .utf8)
            )
        }
        try #require(files.count > 100, "\(folder) has not the files that it should have")
        return files
    }
}
