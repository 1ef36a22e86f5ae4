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
    package func closedByServer() async { _ = await self.wait(reading: 65_536, isEnough: { $0 <= 0 }) }

    /// Waits until something has come back, or for the socket's patience. The answer stays there to be read.
    ///
    /// - Returns: whether an answer has come; false if the other side has closed the connection without one.
    @discardableResult
    package func hasAnswer() async -> Bool {
        await self.wait(reading: 1, Int32(MSG_PEEK), isEnough: { _ in true }) > 0
    }

    /// On a thread of its own: the server under test needs those of the tasks.
    private func wait(
        reading size: Int,
        _ flags: Int32 = 0,
        isEnough: @escaping @Sendable (Int) -> Bool
    ) async -> Int {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var chunk = [UInt8](repeating: 0, count: size)
                while true {
                    let count = unsafe chunk.withUnsafeMutableBytes {
                        unsafe recv(self.descriptor, $0.baseAddress, $0.count, flags)
                    }
                    if isEnough(count) { return continuation.resume(returning: count) }
                }
            }
        }
    }
}
