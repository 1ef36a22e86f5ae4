package import Foundation

/// A folder of a test's own. The folder is deleted with everything in it as soon as nothing refers to this object any
/// more; a test that goes on with paths alone has to keep the object by `withExtendedLifetime`.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        self.url = FileManager.default.temporaryDirectory
            .appendingPathComponent("flotilla-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: self.url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: self.url) }

    package var path: String { self.url.path }

    /// The place of a file in the folder, whether the file is there or not.
    package func file(_ name: String) -> URL { self.url.appendingPathComponent(name) }

    /// Writes a file that nobody else may read.
    package func write(_ bytes: [UInt8], to name: String) throws -> URL {
        let file = self.file(name)
        try Data(bytes).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return file
    }

    package func write(_ text: String, to name: String) throws -> URL {
        try self.write(Array(text.utf8), to: name)
    }
}
