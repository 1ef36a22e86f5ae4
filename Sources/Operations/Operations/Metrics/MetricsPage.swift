/// The series of a metrics page in Prometheus' text format, version 0.0.4, as `PrometheusRegistry` writes it.
///
/// A line that is no sample is left out. The caller bounds the text.
package struct MetricsPage: Sendable {
    /// One value with its labels.
    package struct Series: Hashable, Sendable {
        /// The name of the metric.
        package var name: String
        /// The labels, without the escapes of the text.
        package var labels: [String: String]
        /// The value, which is finite.
        package var value: Double
    }

    /// The series by the name of their metric, each list in the order of the page.
    private var series: [String: [Series]] = [:]

    /// Reads a page.
    package init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            guard let series = Self.series(line) else { continue }
            self.series[series.name, default: []].append(series)
        }
    }

    /// The series of a metric, in the order of the page; empty if there is no such metric.
    package func series(of name: String) -> [Series] { self.series[name] ?? [] }

    /// Returns whether the page shows a metric.
    package func shows(_ name: String) -> Bool { self.series[name] != nil }

    /// The sum of a metric over all series that have these labels, limited to the range of Int.
    package func sum(_ name: String, _ labels: [(String, String)] = []) -> Int {
        let matching = self.series(of: name).filter { series in
            labels.allSatisfy { series.labels[$0.0] == $0.1 }
        }
        let sum = matching.reduce(0) { $0 + $1.value }.rounded(.towardZero)
        return Int(exactly: sum) ?? (sum < 0 ? .min : .max)
    }

    /// The largest value of a metric; nil if there is no such metric.
    package func largest(_ name: String) -> Double? { self.series(of: name).map(\.value).max() }

    /// All values of a label in the series of a metric.
    package func values(of label: String, in name: String) -> Set<String> {
        Set(self.series(of: name).compactMap { $0.labels[label] })
    }

    // MARK: - One line

    /// Reads a sample. NaN and the infinities are possible values of gauges, but nothing can be counted with
    /// them, so their series are left out.
    private static func series(_ line: ArraySlice<UInt8>) -> Series? {
        guard let space = line.lastIndex(of: UInt8(ascii: " ")),
            let value = Double(String(decoding: line[(space + 1)...], as: UTF8.self)), value.isFinite
        else { return nil }
        let head = line[..<space]
        guard let brace = head.firstIndex(of: UInt8(ascii: "{")) else {
            return Series(name: String(decoding: head, as: UTF8.self), labels: [:], value: value)
        }
        let name = String(decoding: head[..<brace], as: UTF8.self)
        return Series(name: name, labels: self.labels(head[(brace + 1)...]), value: value)
    }

    /// Reads `name="value",…}`. Text that does not look like a label ends the list.
    private static func labels(_ text: ArraySlice<UInt8>) -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = String(decoding: rest[..<equals], as: UTF8.self)
            rest = rest[(equals + 1)...]
            guard rest.popFirst() == UInt8(ascii: "\""), let value = self.quoted(&rest) else { break }
            labels[name] = value
            guard rest.popFirst() == UInt8(ascii: ",") else { break }
        }
        return labels
    }

    /// Takes a value up to its closing quotation mark; nil if there is none.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }
}
