package import WireFormats

/// Which dead letters are meant. What is nil or empty says nothing.
package struct LetterFilter: Hashable, Sendable {
    /// Topics of dead letters.
    package var topics: [String] = []
    /// Patterns of topics that are looked at at all, as in the settings. The index may know of others.
    package var within: [String] = []
    package var workers: [String] = []
    package var classes: [String] = []
    /// Reasons; a `*` at the end stands for any rest.
    package var reasons: [String] = []
    /// Groups by their marks, `g-…`.
    package var groups: [String] = []
    package var ids: [LetterID] = []
    package var positions: [LetterPosition] = []
    package var states: [LetterState] = []
    /// From this time on, and before that one: milliseconds since 1970.
    package var since: Int64?
    package var until: Int64?
    /// The record's key, byte for byte.
    package var key: [UInt8]?
    /// Headers by name, with a value or only by their being there. Looked up in the record itself.
    package var headers: [HeaderCondition] = []
    /// What the decoded payload must hold. Looked up in the record itself.
    package var conditions: [DeadLetterCondition] = []

    package init() {}

    /// Whether the index alone cannot tell.
    package var needsRecords: Bool { !self.headers.isEmpty || !self.conditions.isEmpty }

    /// `--header name` or `name=value`.
    package struct HeaderCondition: Hashable, Sendable {
        package var name: String
        package var value: String?

        package init(_ text: String) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self.name = parts.first.map(String.init) ?? ""
            self.value = parts.count == 2 ? String(parts[1]) : nil
        }
    }
}
