/// A choice of dead letters. A letter has to meet every condition that is set; nil and an empty list set no
/// condition.
package struct LetterFilter: Hashable, Sendable {
    /// Topics of dead letters, by their full names.
    package var topics: [String] = []
    /// Patterns of the topics that this user looks at, as in the settings. The index may hold letters of
    /// further topics.
    package var within: [String] = []
    /// Workers that wrote the letters; for a letter without a worker's name, the consumer group of the dead
    /// record.
    package var workers: [String] = []
    /// Classes of letters, such as `rejected`.
    package var classes: [String] = []
    /// Reasons, such as `gdt.-12`; a `*` at the end stands for any text.
    package var reasons: [String] = []
    /// Groups of letters by their marks, `g-…`.
    package var groups: [String] = []
    /// Letters by their ids. A letter passes if it is named here or in `positions`.
    package var ids: [LetterID] = []
    /// Letters by their positions. A letter passes if it is named here or in `ids`.
    package var positions: [LetterPosition] = []
    /// The states that a letter may be in.
    package var states: [LetterState] = []
    /// The earliest time at which a letter was written, in milliseconds since 1970.
    package var since: Int64?
    /// The time before which a letter was written, in milliseconds since 1970.
    package var until: Int64?
    /// The record's key, byte for byte. The index compares its keyed mark.
    package var key: [UInt8]?
    /// Conditions on headers. They need the record itself, which the index does not hold.
    package var headers: [HeaderCondition] = []
    /// Conditions on the decoded payload. They need the record itself, which the index does not hold.
    package var conditions: [DeadLetterCondition] = []
    /// Whether no letter passes, whichever conditions are set. No user asks for that: it is the answer to
    /// conditions on records that no record meets.
    var passesNone = false

    /// Creates a filter that every letter passes.
    package init() {}

    /// Whether the records have to be read, because the index alone cannot answer.
    package var needsRecords: Bool { !self.headers.isEmpty || !self.conditions.isEmpty }

    /// A condition on one header, as in `--header name` or `--header name=value`.
    package struct HeaderCondition: Hashable, Sendable {
        /// The name that a header of the record must have.
        package var name: String
        /// The value that one of the headers of this name must have; nil accepts any value.
        package var value: String?

        /// Reads `name` or `name=value`; the first `=` ends the name.
        package init(_ text: String) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self.name = parts.first.map(String.init) ?? ""
            self.value = parts.count == 2 ? String(parts[1]) : nil
        }
    }
}
