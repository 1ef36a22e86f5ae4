import Foundation
import Glibc

/// Keeps everybody else from opening an index while this is held; the system lets it go with the process.
struct IndexLock {
    private let descriptor: Int32

    /// Waits for its turn.
    init(_ path: String) throws {
        let descriptor = unsafe open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        }
        self.descriptor = descriptor
    }

    func release() { close(self.descriptor) }
}
