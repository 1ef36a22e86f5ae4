import WebPages
import WireFormats

/// A question about the variants of a campaign. The page and the read API understand the same fields.
struct ComparisonQuery: Hashable, Sendable {
    /// The names of the fields in a query.
    static let names = ["campaign", "app", "variant", "base", "measure", "margin"]
    /// The values that the margin may have, in percentage points, and the one that it has if it is not named.
    static let margins = (range: 0.01...50.0, usual: 0.5)

    /// The campaign's id; nil if none is named.
    let campaign: String?
    /// The bundle id; nil for all apps.
    let app: String?
    /// The message ids of the variants that are compared; empty for a choice of ours.
    let variants: [String]
    /// The message id of the variant with which the others are compared; nil for the first one.
    let base: String?
    private(set) var measure = Measure.opened
    /// The smallest difference that matters, in percentage points.
    private(set) var margin = Self.margins.usual
    /// A sentence for each field that cannot be read. Such a field changes nothing.
    private(set) var faults: [String] = []

    init(_ query: FormFields) {
        func text(_ name: String) -> String? {
            query.exactly(name).flatMap { $0.trimmed.isEmpty ? nil : $0 }
        }
        self.campaign = text("campaign")
        self.app = text("app")
        self.variants = query.pairs.filter { $0.name.isExactly("variant") && !$0.value.isEmpty }.map(\.value)
        self.base = text("base")
        if let word = query["measure"] {
            if let measure = Measure(exactly: word) {
                self.measure = measure
            } else {
                let words = Measure.allCases.map(\.rawValue).joined(separator: ", ")
                self.faults.append("The field measure is none of \(words).")
            }
        }
        if let text = query["margin"] {
            if let margin = Double(text), Self.margins.range.contains(margin) {
                self.margin = margin
            } else {
                self.faults.append("The field margin is no number from 0.01 to 50.")
            }
        }
    }

    /// Returns the address that asks for the variants of a campaign in an app.
    ///
    /// - Parameter app: nil for all apps.
    static func address(campaign: String, app: String?) -> String {
        var fields = FormFields()
        fields.add("campaign", campaign)
        if let app { fields.add("app", app) }
        return "/compare?\(fields.text)"
    }
}
