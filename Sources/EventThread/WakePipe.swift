import Glibc

/// A pipe that never blocks at either end: how another thread, or a C library's, leaves word for one that waits.
package final class WakePipe: Sendable {
    package let readEnd: Int32
    package let writeEnd: Int32

    package init() {
        var ends: [Int32] = [-1, -1]
        let status = unsafe pipe(&ends)
        // Out of descriptors at start: there is no worker to be had on this machine.
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

    /// Reads what is there into a buffer, which it does not grow.
    ///
    /// - Returns: how many bytes came; 0 if there were none.
    package func read(into buffer: inout [UInt8]) -> Int {
        max(
            0,
            unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(self.readEnd, $0.baseAddress, $0.count) }
        )
    }

    /// Writes a tag of four bytes, little-endian. All of it or nothing: a full pipe wakes its reader anyway.
    package func write(_ tag: UInt32) {
        var tag = tag.littleEndian
        _ = unsafe Glibc.write(self.writeEnd, &tag, 4)
    }
}
