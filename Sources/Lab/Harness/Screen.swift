import Glibc
package import Terminal

/// The output of the demo: lines that stay, and on a terminal a last line that changes.
package final class Screen {
    /// The number of columns for files and pipes, at which no line is cut.
    private static let widePage = 152

    private let display = Display()
    /// The text of the line that changes.
    private var status = ""
    /// Whether standard output can still be written to.
    package private(set) var isWatched = true

    package init() {}

    /// The number of columns. It is read each time, since the window may be resized.
    package var width: Int {
        var size = winsize()
        guard self.display.isTerminal, unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
            size.ws_col > 0
        else {
            return Self.widePage
        }
        return Int(size.ws_col)
    }

    package func paint(_ text: String, _ ink: Ink) -> String { self.display.paint(text, ink) }

    /// Writes a line that stays, above the line that changes.
    package func line(_ text: String = "", _ ink: Ink = .plain) {
        let eraser = self.status.isEmpty ? "" : "\r\u{1B}[2K"
        self.write("\(eraser)\(self.paint(text, ink))\n\(self.paint(self.status, .dim))")
    }

    /// Replaces the line that changes. Without a terminal there is no such line.
    package func show(_ text: String) {
        let text = String(text.prefix(max(0, self.width - 1)))
        guard self.display.isTerminal, text != self.status else { return }
        self.status = text
        self.write("\r\u{1B}[2K\(self.paint(text, .dim))")
    }

    private func write(_ text: String) {
        self.isWatched = Console.write(Array(text.utf8), to: STDOUT_FILENO) && self.isWatched
    }
}
