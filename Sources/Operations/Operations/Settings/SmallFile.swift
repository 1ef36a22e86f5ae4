import Glibc

/// A file that is read whole, with a limit on its size.
struct SmallFile {
    /// The reason why a file could not be read, as the end of a sentence.
    struct Failure: Error {
        let reason: String
    }

    let bytes: [UInt8]
    let status: FileStatus

    /// Reads the file, which may have `limit` bytes at most. A larger one is a failure.
    init(path: String, limit: Int) throws(Failure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure() }
        defer { close(descriptor) }
        guard let status = FileStatus(of: descriptor) else { throw Self.failure() }

        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure() }
            if count == 0 { break }
            guard bytes.count + count <= limit else {
                throw Failure(reason: "larger than \(limit / 1_024) KiB")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
        self.bytes = bytes
        self.status = status
    }

    private static func failure() -> Failure {
        let code = errno
        switch code {
        case ENOENT: return Failure(reason: "no such file")
        case EACCES: return Failure(reason: "permission denied")
        case EISDIR: return Failure(reason: "is a directory")
        default: return Failure(reason: "system error \(code)")
        }
    }
}
