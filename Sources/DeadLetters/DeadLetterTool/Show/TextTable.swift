import WireFormats

/// A table for a terminal. No text in a cell can move the cursor or end the line.
struct TextTable {
    /// The side of the column that its texts touch.
    enum Side { case left, right }

    private let columns: [(title: String, side: Side)]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, side: Side)]) { self.columns = columns }

    /// Adds a row. A cell is cut after 200 characters.
    mutating func add(_ cells: [String]) { self.rows.append(cells.map { SafeText.line($0, limit: 200) }) }

    /// The lines of the table, with the titles first.
    var lines: [String] {
        let all = [self.columns.map(\.title)] + self.rows
        let widths = self.columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = zip(row, zip(widths, self.columns)).map { cell, column in
                let padding = String(repeating: " ", count: max(0, column.0 - cell.count))
                return column.1.side == .right ? padding + cell : cell + padding
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
