import Foundation

/// The output of a process and its children, gathered as it comes, and a way to wait for more.
///
/// A thread of its own reads until the last writer has gone. (Foundation's `readabilityHandler` traps now and then when
/// its pipe goes while its handler runs.)
final class ProcessOutput: @unchecked Sendable {
    /// To be the standard output or the standard error of a process.
    let pipe = Pipe()
    private let condition = NSCondition()
    private var bytes: [UInt8] = []
    private var hasEnded = false

    init() throws {
        let descriptor = fcntl(self.pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        Thread.detachNewThread { [weak self] in
            defer { close(descriptor) }
            while let some = Self.nextBytes(descriptor), !some.isEmpty { self?.add(some) }
            self?.end()
        }
    }

    /// The output so far.
    var text: String { String(decoding: self.condition.withLock { self.bytes }, as: UTF8.self) }

    /// - Returns: whether this came before the time was up.
    func wait(for words: String, atMost longest: Duration = .patience) -> Bool {
        self.wait(atMost: longest) { $0.contains(words) }
    }

    /// - Returns: whether what has come was as wanted before the time was up.
    func wait(atMost longest: Duration, until isEnough: (String) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: longest / .seconds(1))
        return self.condition.withLock {
            while !isEnough(String(decoding: self.bytes, as: UTF8.self)) {
                guard self.condition.wait(until: deadline) else {
                    return isEnough(String(decoding: self.bytes, as: UTF8.self))
                }
            }
            return true
        }
    }

    /// Waits until the last writer has gone.
    ///
    /// - Returns: whether that was before the time was up.
    func waitForEnd(atMost longest: Duration = .patience) -> Bool {
        let deadline = Date(timeIntervalSinceNow: longest / .seconds(1))
        return self.condition.withLock {
            while !self.hasEnded, self.condition.wait(until: deadline) {}
            return self.hasEnded
        }
    }

    private func end() {
        self.condition.withLock {
            self.hasEnded = true
            self.condition.broadcast()
        }
    }

    private func add(_ some: [UInt8]) {
        self.condition.withLock {
            self.bytes += some
            self.condition.broadcast()
        }
    }

    /// - Returns: nothing at the end, nil if it cannot be read.
    private static func nextBytes(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { return Array(buffer.prefix(count)) }
            guard errno == EINTR else { return nil }
        }
    }
}
