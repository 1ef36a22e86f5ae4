import Glibc
import Terminal

/// The output of the demo: lines that stay, and on a terminal a last line that changes.
package final class Screen {
    /// The colours and styles. The raw value is the parameter of the terminal's escape sequence.
    package enum Ink: String {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case magenta = "35"
        case cyan = "36"
    }

    /// The number of columns for files and pipes, at which no line is cut.
    private static let widePage = 152

    private let isTerminal: Bool
    private let hasColour: Bool
    /// The text of the line that changes.
    private var status = ""
    /// Whether standard output can still be written to.
    package private(set) var isWatched = true

    package init() {
        let terminal = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
        let noColour = unsafe getenv("NO_COLOR").map { unsafe String(cString: $0) } ?? ""
        self.isTerminal = isatty(STDOUT_FILENO) == 1 && !terminal.isEmpty && terminal != "dumb"
        self.hasColour = self.isTerminal && noColour.isEmpty
    }

    /// The number of columns. It is read each time, since the window may be resized.
    package var width: Int {
        var size = winsize()
        guard self.isTerminal, unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
        else {
            return Self.widePage
        }
        return Int(size.ws_col)
    }

    package func paint(_ text: String, _ ink: Ink) -> String {
        self.hasColour && ink != .plain && !text.isEmpty ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line that stays, above the line that changes.
    package func line(_ text: String = "", _ ink: Ink = .plain) {
        let eraser = self.status.isEmpty ? "" : "\r\u{1B}[2K"
        self.write("\(eraser)\(self.paint(text, ink))\n\(self.paint(self.status, .dim))")
    }

    /// Replaces the line that changes. Without a terminal there is no such line.
    package func show(_ text: String) {
        let text = String(text.prefix(max(0, self.width - 1)))
        guard self.isTerminal, text != self.status else { return }
        self.status = text
        self.write("\r\u{1B}[2K\(self.paint(text, .dim))")
    }

    private func write(_ text: String) {
        self.isWatched = Console.write(Array(text.utf8), to: STDOUT_FILENO) && self.isWatched
    }
}
