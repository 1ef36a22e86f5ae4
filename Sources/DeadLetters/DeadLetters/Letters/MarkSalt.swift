import Foundation
package import Operations

/// The salt of this user's marks if no setting gives one: 32 random bytes in a file that only the user can
/// read.
package enum MarkSalt {
    /// Returns the salt of the user, which is created and stored at the first call.
    ///
    /// - Throws: an error of the file system if the salt cannot be stored.
    package static func ofThisUser(_ environment: [String: String]) throws -> Secret {
        let path = IndexFile.saltPath(environment: environment)
        if let bytes = FileManager.default.contents(atPath: path), bytes.count == 32 {
            return Secret(bytes: Array(bytes))
        }
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try IndexFile.prepare(
            path,
            remedy: "set dead_letters.salt, or XDG_CACHE_HOME to a folder that can be written"
        )
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: Data(salt))
        try handle.close()
        return Secret(bytes: salt)
    }
}
