package import Foundation

/// A folder that is gone with everything in it when the test is done with it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        self.url = FileManager.default.temporaryDirectory
            .appendingPathComponent("flotilla-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: self.url) }

    /// Writes a file that nobody else may read.
    package func write(_ bytes: [UInt8], to name: String) throws -> URL {
        let file = self.url.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return file
    }
}
