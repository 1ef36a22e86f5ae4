/// A page in the Prometheus text format, version 0.0.4, that is being written.
struct Exposition {
    private(set) var text = ""

    mutating func header(of name: MetricName, kind: MetricFamily.Kind, help: String?) {
        if let help {
            self.text += "# HELP \(name.text) \(Self.escapedHelp(help))\n"
        }
        self.text += "# TYPE \(name.text) \(kind.rawValue)\n"
    }

    mutating func sample(_ series: SeriesIdentity, suffix: String = "", value: String) {
        self.text += series.name.text
        self.text += suffix
        if !series.labels.text.isEmpty {
            self.text += "{\(series.labels.text)}"
        }
        self.text += " \(value)\n"
    }

    mutating func bucket(_ series: SeriesIdentity, upTo bound: String, count: UInt64) {
        let separator = series.labels.text.isEmpty ? "" : ","
        self.text += "\(series.name.text)_bucket{\(series.labels.text)\(separator)le=\"\(bound)\"} \(count)\n"
    }

    /// Returns the text of a number: whole numbers without a fraction, and Prometheus's words `NaN`, `+Inf`
    /// and `-Inf`.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
        return value.description
    }

    private static func escapedHelp(_ help: String) -> String {
        var result = ""
        for scalar in help.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
