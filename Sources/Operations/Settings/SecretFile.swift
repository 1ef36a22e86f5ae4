/// A file that holds a secret, for whoever has to read it more than once.
package struct SecretFile: Hashable, Sendable {
    /// Why it could not be read, as the end of a sentence.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    static let bytesLimit = 65_536

    package let path: String

    package init(path: String) { self.path = path }

    /// What is in it now, without the line feed at its end.
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
