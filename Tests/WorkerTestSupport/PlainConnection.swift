import Foundation
import Glibc

/// One connection that a test holds on to. Closed with the last reference.
package final class PlainConnection: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(self.descriptor) }

    /// Sends a text, and does not care about the other side.
    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Sends a text, and waits while the other side does not read.
    ///
    /// - Returns: false once the other side has closed the connection.
    package func sends(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        } > 0
    }

    /// Sends nothing more; the other side's answers can still be read.
    package func endSending() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// Whether the other side has closed it by now. The answers that have come are read first, and forgotten.
    package var isClosedByServer: Bool {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe recv(self.descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count <= 0 { return count == 0 || errno != EAGAIN }
        }
    }

    /// Returns when the other side has closed it, or after the socket's patience.
    package func closedByServer() async { _ = await self.read(65_536, isEnough: { $0 <= 0 }) }

    /// Returns everything that comes until the other side has closed it, or until the socket's patience is over; a megabyte
    /// at most.
    package func untilClosed() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var (all, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
                while all.count < 1 << 20 {
                    let count = unsafe recv(self.descriptor, &chunk, chunk.count, 0)
                    guard count > 0 else { break }
                    all += chunk.prefix(count)
                }
                continuation.resume(returning: all)
            }
        }
    }

    /// Waits until an answer has begun, or for the socket's patience. The answer stays there to be read.
    ///
    /// - Returns: the status of the answer; nil if the other side has closed the connection without one.
    package func status() async -> Int? {
        let start = await self.read(
            "HTTP/1.1 200".utf8.count,
            Int32(MSG_PEEK | MSG_WAITALL),
            isEnough: { _ in true }
        )
        return Int(String(decoding: start.suffix(3), as: UTF8.self))
    }

    /// On a thread of its own: the server under test needs those of the tasks.
    private func read(
        _ size: Int,
        _ flags: Int32 = 0,
        isEnough: @escaping @Sendable (Int) -> Bool
    ) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var chunk = [UInt8](repeating: 0, count: size)
                while true {
                    let count = unsafe chunk.withUnsafeMutableBytes {
                        unsafe recv(self.descriptor, $0.baseAddress, $0.count, flags)
                    }
                    if isEnough(count) {
                        return continuation.resume(returning: Array(chunk.prefix(max(0, count))))
                    }
                }
            }
        }
    }
}
