import DeadLetters
import WebPages

/// The fields of the form that says how to replay, as `ReplayOptions`, with a sentence for each field that is
/// not valid.
struct ReplayForm: Sendable {
    /// The names of the form's fields.
    static let names: Set<String> = ["rate", "maximum", "force", "again", "target", "timestamp"]

    let fields: FormFields
    var options = ReplayOptions()
    /// A sentence for each field that is not valid. Use `options` only if there is none.
    private(set) var faults: [String] = []

    /// The rate in records per second if the form has none: one that an upstream can bear that has just
    /// recovered.
    static let defaultRate = 50
    /// The highest rate that the form accepts, in records per second.
    static let fastestRate = 100_000.0

    init(_ fields: FormFields) {
        self.fields = fields.only(Self.names)
        self.options.rate = Double(Self.defaultRate)
        self.options.force = self.fields["force"] != nil
        self.options.again = self.fields["again"] != nil
        self.options.target = self.fields["target"]
        if let text = self.fields["rate"] {
            if let rate = Double(text), rate > 0, rate <= Self.fastestRate {
                self.options.rate = rate
            } else {
                self.fault("The rate", "is a number of records a second, more than 0 and at most 100000")
            }
        }
        if let text = self.fields["maximum"] {
            if let maximum = Int(text), 1...ReplayOptions.largestMaximum ~= maximum {
                self.options.maximum = maximum
            } else {
                self.fault("The maximum", "is a number from 1 to \(ReplayOptions.largestMaximum)")
            }
        }
        if let text = self.fields["timestamp"] {
            if let policy = ReplayedRecord.TimestampPolicy(rawValue: text) {
                self.options.timestamp = policy
            } else {
                self.fault("The time of the record", "is 'original' or 'now'")
            }
        }
    }

    private mutating func fault(_ what: String, _ rule: String) { self.faults.append("\(what) \(rule).") }
}
