import Foundation

/// Lines in, lines out.
package enum StandardStreams {
    /// Writes a line to standard output, whole.
    package static func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Writes a line to standard error, whole.
    package static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// Everything that standard input holds.
    package static func input() throws -> [UInt8] {
        try FileHandle.standardInput.readToEnd().map(Array.init) ?? []
    }

    /// The lines of some bytes, without their ends; a last line without an end counts, an empty one does not.
    package static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Array.init
        )
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }
}
