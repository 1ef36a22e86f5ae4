import DeadLetters
import Foundation
import Operations

/// The salt of this user's marks where no setting gives one: made once, and kept where only they can read it.
enum MarkSalt {
    static func ofThisUser(_ environment: [String: String]) throws -> Secret {
        let path = IndexFile.saltPath(environment: environment)
        if let bytes = FileManager.default.contents(atPath: path), bytes.count == 32 {
            return Secret(bytes: Array(bytes))
        }
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try IndexFile.prepare(path)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: Data(salt))
        try handle.close()
        return Secret(bytes: salt)
    }
}
