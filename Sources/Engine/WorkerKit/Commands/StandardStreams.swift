import Foundation

/// Standard input and output by lines.
package enum StandardStreams {
    /// Writes a whole line to standard output.
    package static func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Writes a whole line to standard error.
    package static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// Returns everything that standard input holds.
    package static func input() throws -> [UInt8] {
        try FileHandle.standardInput.readToEnd().map(Array.init) ?? []
    }

    /// Returns the lines of some bytes, without their ends. A last line without an end counts, unless it is
    /// empty.
    package static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Array.init
        )
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }
}
