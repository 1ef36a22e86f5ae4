package import Records
package import ServiceKit

/// The number of partitions of a changelog over which the keys of a state are spread. Every record of the state
/// carries it in a header.
///
/// The home of a key follows from this number. An operator can add partitions to a topic at any time. After that,
/// most keys would be looked for in another partition than the one that remembers them, and would count once more.
///
/// Whether a key is at home where it stands cannot be computed from the state, because the state holds hashes of
/// the keys only. One record with the number would not do either: a changelog that deletes by age would lose it
/// before it loses the last record of the state. A header lives exactly as long as the record whose place it
/// explains, under every `cleanup.policy`, and a compacted topic keeps it with the last record of each key.
/// Records without the header were written by older versions and say nothing.
package struct StateSpread: Hashable, Sendable {
    /// The name of the header. Its value is the number in decimal digits.
    package static let headerName = "flotilla.state.partitions"

    /// The changelog topic.
    package let topic: String
    /// The number of partitions in which keys are at home.
    package let homes: Int32

    /// - Parameters:
    ///   - partitions: The number of partitions that the topic has.
    ///   - limit: The setting that keeps keys in the first partitions; nil without one.
    package init(of topic: String, partitions: Int, limit: Int?) {
        self.topic = topic
        self.homes = Int32(clamping: max(1, limit ?? partitions))
    }

    /// The header of a record of the state.
    package var recordHeader: RecordHeader { RecordHeader(Self.headerName, "\(self.homes)") }

    /// Returns the number that a record was written with; nil if it has none.
    private static func homes(of record: borrowing InboundRecord) -> Int32? {
        record.header(self.headerName).flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the failure of a worker that finds this record in its state; nil if the record fits or does not tell.
    package func failure(of record: borrowing InboundRecord) -> PreflightFailure? {
        guard let written = Self.homes(of: record), written != self.homes else { return nil }
        return PreflightFailure(faults: [self.fault(writtenWith: written)])
    }

    private func fault(writtenWith written: Int32) -> String {
        "The changelog topic '\(self.topic)' is used with \(self.homes) partitions, and its state was written with "
            + "\(written): most keys would be looked for where nobody knows them, and would count once more. Set "
            + "kafka.changelog_partitions to \(written) in all workers, and they stay where they are; or stop the "
            + "workers when nothing has to be remembered any more, and make the topic anew."
    }
}
