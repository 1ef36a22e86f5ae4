import Foundation
import Glibc

/// A lock on a file beside the index, so that one process at a time opens or creates the index. The kernel
/// releases it when the process ends.
struct IndexLock {
    private let descriptor: Int32

    /// Waits without a limit until no other process holds the lock, and takes it.
    ///
    /// - Throws: `POSIXError` if the lock file cannot be opened or locked.
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

    /// Releases the lock. Call it once.
    func release() { close(self.descriptor) }
}
