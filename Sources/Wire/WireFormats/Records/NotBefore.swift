package import Records

/// The time before which a publisher does not want a record to be worked on: the header `not-before`.
package enum NotBefore: Hashable, Sendable {
    /// The name of the header. Its value is a time of RFC 3339, such as `2026-11-29T20:00:00Z`.
    package static let header = "not-before"

    /// The record has no such header.
    case absent
    /// The time in milliseconds since 1970.
    case at(Int64)
    /// The header is no time.
    case malformed

    /// Reads the header of a record. The first one counts.
    package init(_ record: borrowing InboundRecord) {
        guard let value = record.header(Self.header) else {
            self = .absent
            return
        }
        self = RFC3339.milliseconds(value).map { .at($0) } ?? .malformed
    }
}
