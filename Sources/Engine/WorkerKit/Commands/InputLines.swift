import Foundation

/// The lines of standard input, each as soon as it is there: a program that writes a line can wait for its
/// result.
///
/// The lines come without their ends. A last line without an end counts, unless it is empty.
struct InputLines {
    /// The failure to read standard input.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let chunkSize = 65_536

    private var buffer: [UInt8] = []
    /// The place where the next line starts, and the place up to which no end of it has been found.
    private var start = 0
    private var scanned = 0
    private var isAtEnd = false

    /// Returns the next line; nil at the end of the input.
    mutating func next() throws(Failure) -> [UInt8]? {
        while true {
            if let end = self.buffer[self.scanned...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = self.buffer[self.start..<end]
                self.start = end + 1
                self.scanned = self.start
                return Self.withoutReturn(line)
            }
            self.scanned = self.buffer.count
            guard !self.isAtEnd else { return self.last() }
            try self.fill()
        }
    }

    private mutating func last() -> [UInt8]? {
        let rest = self.buffer[self.start...]
        self.start = self.buffer.count
        return rest.isEmpty ? nil : Self.withoutReturn(rest)
    }

    private mutating func fill() throws(Failure) {
        self.buffer.removeSubrange(..<self.start)
        self.scanned -= self.start
        self.start = 0
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
        }
        if count > 0 { self.buffer += chunk[..<count] }
        if count == 0 { self.isAtEnd = true }
        guard count >= 0 || errno == EINTR else {
            throw Failure(
                description: "standard input cannot be read: \(unsafe String(cString: strerror(errno)))"
            )
        }
    }

    private static func withoutReturn(_ line: ArraySlice<UInt8>) -> [UInt8] {
        Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}
