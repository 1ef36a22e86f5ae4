import Glibc

/// Reads a descriptor line by line. The caller owns the descriptor and must close it.
package struct LineInput {
    package let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The index at which the next line starts.
    private var start = 0
    /// The index up to which no line end has been found.
    private var scanned = 0
    /// Whether the end of the input has been read.
    package private(set) var isAtEnd = false

    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads the bytes that are available. Waits for bytes only if the descriptor is a blocking one.
    ///
    /// - Returns: false at the end of the input.
    /// - Throws: the error of read(2).
    package mutating func fill() throws(FileFailure) -> Bool {
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

    /// Returns the next complete line without its line end. At the end of the input, a last line without a
    /// line end is returned as well.
    package mutating func next() -> [UInt8]? {
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

    /// Returns all bytes that were read and not returned yet.
    package mutating func takeAll() -> [UInt8] {
        let rest = Array(self.buffer[self.start...])
        self.buffer = []
        self.start = 0
        self.scanned = 0
        return rest
    }
}
