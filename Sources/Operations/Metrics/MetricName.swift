/// The name of a metric family, made of the characters Prometheus allows.
package struct MetricName: Hashable, Comparable, Sendable {
    package let text: String

    /// Replaces whatever Prometheus would refuse by `_`: `http.client requests` is `http_client_requests`.
    package init(_ label: String) {
        self.text = Self.sanitised(label, allowsColon: true)
    }

    private init(sanitised text: String) {
        self.text = text
    }

    /// The name a counter is exposed under: it ends in `_total`.
    var counter: MetricName {
        self.text.hasSuffix("_total") ? self : MetricName(sanitised: self.text + "_total")
    }

    package static func < (one: MetricName, other: MetricName) -> Bool {
        one.text < other.text
    }

    static func sanitised(_ text: String, allowsColon: Bool) -> String {
        guard !text.isEmpty else { return "_" }
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "a"..."z", "A"..."Z", "_":
                result.unicodeScalars.append(scalar)
            case "0"..."9":
                if index == 0 { result.append("_") }
                result.unicodeScalars.append(scalar)
            case ":" where allowsColon:
                result.append(":")
            default:
                result.append("_")
            }
        }
        return result
    }
}

/// The labels of one series, sorted and escaped once, when the series is made.
package struct MetricLabels: Hashable, Comparable, Sendable {
    /// As they stand between the braces: `topic="receipt",worker="a"`; empty without labels.
    let text: String

    /// The last one wins where a name comes twice. `le` belongs to histograms and `__` to Prometheus: both are renamed.
    init(_ dimensions: [(String, String)]) {
        guard !dimensions.isEmpty else {
            self.text = ""
            return
        }
        var values: [String: String] = [:]
        for (name, value) in dimensions {
            let name = MetricName.sanitised(name, allowsColon: false)
            values[name == "le" || name.hasPrefix("__") ? "label_" + name : name] = value
        }
        self.text = values.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
            .joined(separator: ",")
    }

    package static func < (one: MetricLabels, other: MetricLabels) -> Bool {
        one.text < other.text
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
