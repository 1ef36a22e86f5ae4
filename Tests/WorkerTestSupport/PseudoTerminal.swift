package import Foundation
import Glibc

/// A pseudo-terminal, and what a program has written to it.
package final class PseudoTerminal {
    /// The end that a program gets as its input, output and errors. It is to be closed here once the program has it.
    package let end: FileHandle
    private let own: Int32

    /// Opens a terminal with so many columns.
    package init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
        var (own, end): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&own, &end, nil, nil, &size) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOTTY)
        }
        // A child that another test starts meanwhile would keep the terminal open.
        for descriptor in [own, end] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        self.own = own
        self.end = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    }

    deinit { close(self.own) }

    /// Reads until no program has the terminal any more.
    package func readToEnd() -> String {
        var (text, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(self.own, $0.baseAddress, $0.count)
            }
            // The last program has gone: Linux says EIO.
            if count > 0 { text += buffer.prefix(count) } else if count == 0 || errno != EINTR { break }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The lines that a text shows, without the sequences that colour them. A carriage return begins its line anew.
    package static func lines(of text: String) -> [String] {
        text.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").replacing("\r\n", with: "\n")
            .split(whereSeparator: { $0 == "\n" || $0 == "\r" }).map(String.init)
    }
}
