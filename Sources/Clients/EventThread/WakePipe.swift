import Glibc

/// A pipe with which another thread, or a thread of a C library, wakes a thread that waits.
///
/// Neither end ever blocks, and both are closed with this object and when the process executes another
/// program.
package final class WakePipe: Sendable {
    /// The descriptor to wait on, readable while the pipe holds bytes.
    package let readEnd: Int32
    /// The descriptor that C libraries are given to write to.
    package let writeEnd: Int32

    /// Opens the pipe. It ends the process if no descriptors are left.
    package init() {
        var ends: [Int32] = [-1, -1]
        let status = unsafe pipe(&ends)
        // The process may open no more descriptors. Pipes are made at the start of a program, and no worker
        // can run on a machine without descriptors.
        precondition(status == 0, "no pipe to be had: errno \(errno)")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        self.readEnd = ends[0]
        self.writeEnd = ends[1]
    }

    deinit {
        close(self.readEnd)
        close(self.writeEnd)
    }

    /// Reads the bytes that are in the pipe, at most as many as the buffer has elements. Never waits.
    ///
    /// - Returns: the number of bytes that were read; 0 if the pipe was empty.
    package func read(into buffer: inout [UInt8]) -> Int {
        max(
            0,
            unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(self.readEnd, $0.baseAddress, $0.count) }
        )
    }

    /// Writes a tag of four bytes, little-endian.
    ///
    /// A write of this size is never split. If the pipe is full, the tag is lost, but a full pipe is readable
    /// and so wakes its reader in any case.
    package func write(_ tag: UInt32) {
        var tag = tag.littleEndian
        _ = unsafe Glibc.write(self.writeEnd, &tag, 4)
    }
}
