import Glibc

/// The colours and styles of a terminal. The raw value is the parameter of the terminal's escape sequence.
package enum Ink: String, Hashable, Sendable {
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

/// The abilities of standard output.
package struct Display: Hashable, Sendable {
    /// Whether standard output is a terminal that understands escape sequences.
    package let isTerminal: Bool
    /// Whether colours are wanted: on a terminal, unless `NO_COLOR` is set (https://no-color.org).
    package let hasColour: Bool
    /// The number of characters in a line of the terminal; nil for no terminal.
    package let width: Int?

    /// Looks at standard output and at the variables `TERM` and `NO_COLOR`.
    package init() {
        let terminal = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
        let noColour = unsafe getenv("NO_COLOR").map { unsafe String(cString: $0) } ?? ""
        let isTerminal = isatty(STDOUT_FILENO) == 1 && !terminal.isEmpty && terminal != "dumb"
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        self.init(
            isTerminal: isTerminal,
            hasColour: isTerminal && noColour.isEmpty,
            width: isTerminal && isKnown ? Int(size.ws_col) : nil
        )
    }

    /// Describes a display.
    package init(isTerminal: Bool, hasColour: Bool, width: Int? = nil) {
        self.isTerminal = isTerminal
        self.hasColour = hasColour
        self.width = width
    }

    /// Returns a text in a colour, if the display has colours.
    package func paint(_ text: String, _ ink: Ink) -> String {
        self.hasColour && ink != .plain && !text.isEmpty ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
    }
}
