/// The numbers of a metrics page in Prometheus' text format.
package struct MetricsPage {
    /// The value of each series, by its name with its labels.
    private var values: [String: Double] = [:]

    package init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            guard let space = line.lastIndex(of: UInt8(ascii: " ")) else { continue }
            let name = String(decoding: line[..<space], as: UTF8.self)
            let value = Double(String(decoding: line[(space + 1)...], as: UTF8.self))
            // NaN and the infinities are possible values of gauges, but they are no counts.
            self.values[name] = value.flatMap { $0.isFinite ? $0 : nil }
        }
    }

    /// The sum of a metric over all series that have these labels, limited to the range of Int.
    package func sum(_ name: String, _ labels: [(String, String)] = []) -> Int {
        let marks = labels.map { "\($0)=\"\($1)\"" }
        let series = self.values.filter { key, _ in
            key.prefix { $0 != "{" } == name && marks.allSatisfy { key.contains($0) }
        }
        let sum = series.values.reduce(0, +).rounded(.towardZero)
        return Int(exactly: sum) ?? (sum < 0 ? .min : .max)
    }

    /// All values of a label in the series of a metric.
    package func values(of label: String, in name: String) -> Set<String> {
        let mark = "\(label)=\""
        let values = self.values.keys.compactMap { key -> String? in
            guard key.prefix(while: { $0 != "{" }) == name, let start = key.firstRange(of: mark) else {
                return nil
            }
            return String(key[start.upperBound...].prefix { $0 != "\"" })
        }
        return Set(values)
    }
}
