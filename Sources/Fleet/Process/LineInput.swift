import Glibc
import Terminal

/// A descriptor read line by line, whoever owns it.
struct LineInput {
    let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Where the next line starts, and how far no end of it has been found.
    private var start = 0
    private var scanned = 0
    private(set) var isAtEnd = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads what there is; waits for something only if the descriptor is a blocking one.
    ///
    /// - Returns: false at the end.
    mutating func fill() throws(FileFailure) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let descriptor = self.descriptor
        while !self.isAtEnd {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                self.buffer.removeSubrange(..<self.start)
                self.scanned -= self.start
                self.start = 0
                self.buffer += chunk[..<count]
                return true
            }
            if count == 0 { self.isAtEnd = true }
            if count < 0, errno == EAGAIN { return true }
            if count < 0, errno != EINTR { throw .last() }
        }
        return false
    }

    /// The next whole line without its end; at the end of the input also a last line that has none.
    mutating func next() -> [UInt8]? {
        if let end = self.buffer[self.scanned...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.buffer[self.start..<end]
            self.start = end + 1
            self.scanned = self.start
            return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
        self.scanned = self.buffer.count
        guard self.isAtEnd, self.start < self.buffer.count else { return nil }
        return self.takeAll()
    }

    /// Everything that has been read and not been taken.
    mutating func takeAll() -> [UInt8] {
        let rest = Array(self.buffer[self.start...])
        self.buffer = []
        self.start = 0
        self.scanned = 0
        return rest
    }
}
