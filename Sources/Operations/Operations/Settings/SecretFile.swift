/// A file that contains a secret, for code that has to read it more than once.
package struct SecretFile: Hashable, Sendable {
    /// The reason why the file could not be read, as the end of a sentence.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// The largest file that is read, in bytes.
    static let bytesLimit = 65_536

    /// The path as it was given.
    package let path: String

    /// Names a file, which is not read yet.
    package init(path: String) { self.path = path }

    /// Reads the present content of the file, without the line end after its text.
    package func read() throws(Failure) -> Secret {
        do throws(SmallFile.Failure) {
            return Self.secret(in: try SmallFile(path: self.path, limit: Self.bytesLimit))
        } catch {
            throw Failure(description: error.reason)
        }
    }

    static func secret(in file: SmallFile) -> Secret {
        var bytes = file.bytes[...]
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        return Secret(bytes: Array(bytes))
    }
}
