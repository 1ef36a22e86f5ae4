package import Glibc
package import Terminal

/// Reading and writing of whole files that fit into memory.
package enum SmallFile {
    /// Writes a file under a temporary name and renames it, so that no reader ever finds half of it.
    package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws(FileFailure) {
        let draft = "\(path).\(getpid())"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .last() }
        let isWritten = Console.write(bytes, to: descriptor)
        let failure = FileFailure.last()
        guard close(descriptor) == 0, isWritten, unsafe rename(draft, path) == 0 else {
            _ = unsafe unlink(draft)
            throw isWritten ? .last() : failure
        }
    }

    /// Reads a whole file.
    package static func read(_ path: String) throws(FileFailure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last() }
        defer { close(descriptor) }
        var lines = LineInput(descriptor)
        var bytes: [UInt8] = []
        while try lines.fill() { bytes += lines.takeAll() }
        return bytes
    }
}
