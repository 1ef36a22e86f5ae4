import Terminal
import WireFormats

/// A table for a terminal. No text in a cell can move the cursor or end the line.
struct TextTable {
    /// The side of the column that its texts touch.
    enum Side { case left, right }

    private struct Cell {
        var text: String
        var ink: Ink
    }

    private let columns: [(title: String, side: Side)]
    private let givingWay: [String]
    private var rows: [[Cell]] = []

    /// The fewest characters to which a text is cut.
    private static let leastWidth = 8

    /// - Parameter givingWay: The titles of the columns that are left out in a narrow terminal, the first one first.
    init(_ columns: [(title: String, side: Side)], givingWay: [String] = []) {
        self.columns = columns
        self.givingWay = givingWay
    }

    /// Adds a row. A cell is cut after 200 characters.
    ///
    /// - Parameter inks: The colours of cells, by the titles of their columns.
    mutating func add(_ cells: [String], inks: [String: Ink] = [:]) {
        self.rows.append(
            zip(cells, self.columns).map { cell, column in
                Cell(text: SafeText.line(cell, limit: 200), ink: inks[column.title] ?? .plain)
            }
        )
    }

    /// Returns the lines of the table, with the titles first.
    ///
    /// In a terminal that is too narrow, columns give way, and then the longest texts are cut.
    func lines(on display: Display = Display(isTerminal: false, hasColour: false)) -> [String] {
        let titles = self.columns.map { Cell(text: $0.title, ink: .plain) }
        let all = [titles] + self.rows
        let widths = self.widths(of: all, in: display.width)
        return all.map { row in
            let shown = self.columns.indices.compactMap { column in
                widths[column].map {
                    Self.padded(row[column], to: $0, side: self.columns[column].side, on: display)
                }
            }
            var line = shown.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The widths of the columns; nil for one that is left out.
    private func widths(of rows: [[Cell]], in limit: Int?) -> [Int?] {
        var widths: [Int?] = self.columns.indices.map { column in
            rows.map { $0[column].text.count }.max() ?? 0
        }
        guard let limit else { return widths }
        func excess() -> Int {
            let shown = widths.compactMap { $0 }
            return shown.reduce(0, +) + 2 * max(0, shown.count - 1) - limit
        }
        for title in self.givingWay where excess() > 0 {
            if let column = self.columns.firstIndex(where: { $0.title == title }) { widths[column] = nil }
        }
        while case let tooMuch = excess(), tooMuch > 0 {
            let texts = self.columns.indices.filter { self.columns[$0].side == .left && widths[$0] != nil }
            guard let longest = texts.max(by: { (widths[$0] ?? 0) < (widths[$1] ?? 0) }),
                let width = widths[longest], width > Self.leastWidth
            else { return widths }
            widths[longest] = max(Self.leastWidth, width - tooMuch)
        }
        return widths
    }

    private static func padded(_ cell: Cell, to width: Int, side: Side, on display: Display) -> String {
        let text = cell.text.count > width ? cell.text.prefix(max(0, width - 1)) + "…" : cell.text
        let padding = String(repeating: " ", count: max(0, width - text.count))
        let painted = display.paint(text, cell.ink)
        return side == .right ? padding + painted : painted + padding
    }
}
