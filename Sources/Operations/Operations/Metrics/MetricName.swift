/// The name of a metric family, made of the characters that Prometheus allows.
package struct MetricName: Hashable, Comparable, Sendable {
    /// The name as it is exposed.
    package let text: String

    /// Makes a name by replacing each character that Prometheus would refuse by `_`: `http.client requests`
    /// becomes `http_client_requests`.
    package init(_ label: String) {
        self.text = Self.sanitised(label, allowsColon: true)
    }

    private init(sanitised text: String) {
        self.text = text
    }

    /// The name under which a counter is exposed, which ends in `_total`.
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

/// The labels of one series. They are sorted and escaped once, when the series is made.
package struct MetricLabels: Hashable, Comparable, Sendable {
    /// The labels as they stand between the braces: `topic="receipt",worker="a"`. Empty if there are none.
    let text: String

    /// Makes labels. If a name occurs twice, the last value counts. `le` and names that begin with `__` get
    /// the prefix `label_`, because histograms use `le` and Prometheus itself uses the others.
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
