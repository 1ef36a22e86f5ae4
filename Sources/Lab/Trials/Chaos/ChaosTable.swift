/// A table with two columns.
struct ChaosTable {
    private var rows: [(String, String)] = []

    mutating func add(_ name: String = "", _ value: String = "") { self.rows.append((name, value)) }

    var lines: [String] {
        let width = self.rows.map(\.0.count).max() ?? 0
        return self.rows.map { name, value in
            guard !name.isEmpty else { return "" }
            return "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(value)"
        }
    }
}
