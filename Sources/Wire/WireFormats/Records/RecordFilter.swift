package import Records

/// A condition on a record's headers or on a field of its value, as the setting `worker.skip` has it:
/// `header:NAME`, `header:NAME=VALUE`, `field:NAME` or `field:NAME=VALUE`.
///
/// Without a value the header or the field only has to be there. A field is a member of the outermost object. The
/// condition has its name in JSON, and the record may have that of the schema. Texts are compared without their quotes
/// and escapes, everything else as it is written in JSON.
package struct RecordFilter: Hashable, Sendable {
    private enum Place: String, Hashable, CaseIterable {
        case header
        case field
    }

    private let place: Place
    private let name: String
    /// The names that a field can have: in JSON, and in the schema.
    private let fieldNames: [String]
    private let value: String?

    /// Reads a condition; nil if the text is none.
    package init?(_ text: String) {
        guard let place = Place.allCases.first(where: { text.hasPrefix("\($0.rawValue):") }) else {
            return nil
        }
        let parts = text.dropFirst(place.rawValue.count + 1).split(
            separator: "=",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard let name = parts.first, !name.isEmpty else { return nil }
        self.place = place
        self.name = String(name)
        let inSchema = ProtobufName.snakeCase(self.name)
        self.fieldNames = inSchema == self.name ? [self.name] : [self.name, inSchema]
        self.value = parts.count == 2 ? String(parts[1]) : nil
    }

    /// The header or the field that the condition is about, without the value.
    package var subject: String { "\(self.place.rawValue) `\(self.name)`" }

    /// Whether the condition is about the record's value.
    package var needsValue: Bool { self.place == .field }

    /// Returns whether a record meets the condition.
    ///
    /// - Parameter object: The record's value; nil if it cannot be read. Such a record has no fields.
    package func isMet(by record: borrowing InboundRecord, _ object: JSONObject?) -> Bool {
        switch self.place {
        case .header:
            // A name may occur more than once.
            for header in record.headers where header.isNamed(self.name) {
                guard let value = self.value else { return true }
                if header.value ?? [] == Array(value.utf8) { return true }
            }
            return false
        case .field:
            return self.fieldNames.contains { name in
                guard let written = object?.value(name) else { return false }
                guard let value = self.value else { return true }
                return object?.string(name).map { $0.isExactly(value) } ?? written.elementsEqual(value.utf8)
            }
        }
    }
}
