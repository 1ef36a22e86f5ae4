package import Kafka
package import Records
package import ServiceKit

/// The number of partitions of a topic over which the keys of a state are spread, and the function that spreads them.
/// Every record of the state carries both in a header.
///
/// The home of a key follows from them. An operator can add partitions to a topic at any time. After that, most keys
/// would be looked for in another partition than the one that remembers them, and would count once more.
///
/// Whether a key is at home where it stands cannot be computed from the state, because the state holds hashes of
/// the keys only. One record with the number would not do either: a changelog that deletes by age would lose it
/// before it loses the last record of the state. A header lives exactly as long as the record whose place it
/// explains, under every `cleanup.policy`, and a compacted topic keeps it with the last record of each key.
/// Records without the header were written by older versions and say nothing.
package struct StateSpread: Hashable, Sendable {
    /// The topic's part in a state.
    package enum Use: Hashable, Sendable {
        /// Each partition holds the state of the task of the same partition.
        case changelog
        /// Each partition is added up by one task.
        case parts
    }

    /// The name of the header. Its value is the number in decimal digits, and after a space the name of the
    /// function if a setting decides about it.
    package static let headerName = "flotilla.state.partitions"

    /// The topic with the state.
    package let topic: String
    /// The number of partitions in which keys are at home.
    package let homes: Int32
    /// The header of a record of the state.
    package let recordHeader: RecordHeader
    private let partitioner: Partitioner?
    private let use: Use

    /// - Parameters:
    ///   - partitions: The number of partitions that the topic has.
    ///   - limit: The setting that keeps keys in the first partitions; nil without one.
    ///   - partitioner: The function that the setting `kafka.partitioner` has chosen; nil if none decides about it.
    package init(
        of topic: String,
        as use: Use = .changelog,
        partitions: Int,
        limit: Int?,
        by partitioner: Partitioner? = nil
    ) {
        self.topic = topic
        self.use = use
        self.homes = Int32(clamping: max(1, limit ?? partitions))
        self.partitioner = partitioner
        let function = partitioner.map { " \($0.rawValue)" } ?? ""
        self.recordHeader = RecordHeader(Self.headerName, "\(self.homes)\(function)")
    }

    /// A record for `StreamApplication.clockRecord`: a tombstone under a key that no state has. It says over how many
    /// partitions the state is spread, like each record of the state.
    package var clockRecord: OutboundRecord {
        OutboundRecord(topic: self.topic, key: Array("clock".utf8), headers: [self.recordHeader])
    }

    /// Returns the failure of a worker that finds this record in its state; nil if the record fits or does not tell.
    package func failure(of record: borrowing InboundRecord) -> PreflightFailure? {
        guard let value = record.header(Self.headerName), value != self.recordHeader.value else { return nil }
        let words = String(decoding: value, as: UTF8.self).split(
            separator: " ",
            omittingEmptySubsequences: false
        )
        guard let homes = words.first.flatMap({ Int32($0) }), homes > 0 else { return nil }
        let written = words.count == 2 ? Partitioner(rawValue: String(words[1])) : nil
        let other = self.partitioner == nil || written == self.partitioner ? nil : written
        guard homes != self.homes || other != nil else { return nil }
        return PreflightFailure(faults: [self.fault(writtenWith: homes, by: other)])
    }

    /// - Parameter other: The function with which the record was written; nil if it is the same.
    private func fault(writtenWith written: Int32, by other: Partitioner?) -> String {
        let numbers = written == self.homes ? nil : "\(self.use.setting) to \(written)"
        let function = other.map { "kafka.partitioner to \($0.rawValue)" }
        let settings = [numbers, function].compactMap { $0 }.joined(separator: " and ")
        let own = self.partitioner.map { " and \($0.rawValue)" }
        return "The \(self.use.noun) topic '\(self.topic)' is used with \(self.homes) partitions"
            + "\(other == nil ? "" : own ?? ""), and its state was written with \(written)"
            + "\(other.map { " and \($0.rawValue)" } ?? ""): \(self.use.damage). Set \(settings) in all workers, and "
            + "keys stay where they are; or stop the workers when nothing has to be remembered any more, and make "
            + "the topic anew."
    }
}

extension StateSpread.Use {
    /// The setting that keeps keys in the first partitions, without its section.
    var key: String {
        switch self {
        case .changelog: "changelog_partitions"
        case .parts: "parts_partitions"
        }
    }

    fileprivate var setting: String { "kafka.\(self.key)" }

    fileprivate var noun: String {
        switch self {
        case .changelog: "changelog"
        case .parts: "parts"
        }
    }

    fileprivate var damage: String {
        switch self {
        case .changelog: "most keys would be looked for where nobody knows them, and would count once more"
        case .parts: "one message would be added up in two places, and its statistics would be wrong"
        }
    }
}
