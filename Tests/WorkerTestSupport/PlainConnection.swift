import Foundation
import Glibc

/// One connection that a test holds on to. Closed with the last reference.
package final class PlainConnection: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(self.descriptor) }

    /// Whatever the other side makes of it.
    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Whether the other side has closed it by now.
    package var isClosedByServer: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(self.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN
    }

    /// Returns when the other side has closed it, or after the socket's patience.
    package func closedByServer() async { await self.wait(reading: 65_536, isEnough: { $0 <= 0 }) }

    /// Returns when something has come back, or after the socket's patience. It stays there to be read.
    package func hasAnswer() async {
        await self.wait(reading: 1, Int32(MSG_PEEK), isEnough: { _ in true })
    }

    /// On a thread of its own: the server under test needs those of the tasks.
    private func wait(
        reading size: Int,
        _ flags: Int32 = 0,
        isEnough: @escaping @Sendable (Int) -> Bool
    ) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var chunk = [UInt8](repeating: 0, count: size)
                while true {
                    let count = unsafe chunk.withUnsafeMutableBytes {
                        unsafe recv(self.descriptor, $0.baseAddress, $0.count, flags)
                    }
                    if isEnough(count) { break }
                }
                continuation.resume()
            }
        }
    }
}
