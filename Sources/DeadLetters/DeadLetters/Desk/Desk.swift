import Kafka
import Records

/// All functions of the dead-letter tool, without any user interface: the command line and the pages are
/// built on it.
///
/// Belongs to one thread. Its calls block that thread while they wait for the cluster.
package final class Desk {
    /// Reads the cluster and keeps the index up to date.
    package let reader: ClusterReader
    /// The name of the user, which the ledger and the audit trail take down.
    package var user: String
    /// Returns the wall-clock time in milliseconds since 1970.
    let now: () -> Int64

    /// Creates a desk for the user that the settings name.
    ///
    /// - Parameter now: returns the wall-clock time in milliseconds since 1970.
    package init(_ reader: ClusterReader, now: @escaping () -> Int64) {
        self.reader = reader
        self.user = reader.settings.user
        self.now = now
    }

    /// The index of the cluster's letters.
    package var index: LetterIndex { self.reader.index }
    /// The settings that the reader was made with.
    package var settings: DeadLetterSettings { self.reader.settings }
    /// Makes the marks of masked values, with the salt of the settings.
    package var mark: KeyedMark { self.reader.mark }
    /// Decides which texts of a letter are shown, by the settings.
    package var mask: LetterMask { LetterMask(mark: self.mark, readable: self.settings.readable) }

    /// The time in milliseconds for which `refresh` looks for a success of a replay that has ended without one. A replay
    /// of such a letter looks for it without a limit.
    private static let successAwaited: Int64 = 24 * 3_600_000

    /// Reads everything new from the cluster into the index.
    ///
    /// - Parameter progress: told now and then how many records of the letters' topics have been read.
    /// - Throws: as `ClusterReader.refresh`.
    package func refresh(_ progress: (ClusterReader.Progress) -> Void = { _ in }) throws {
        try self.reader.refresh(endedSince: self.now() - Self.successAwaited, progress)
    }

    /// Returns a page of the groups that have letters of a filter.
    ///
    /// - Throws: `TooMany` if too many records would have to be read for the filter.
    package func groups(
        _ filter: LetterFilter,
        by order: GroupOrder = .size,
        offset: Int = 0,
        limit: Int = .max
    ) throws -> GroupPage {
        try self.index.groups(
            try self.narrowed(filter, limit: ReplayOptions.largestMaximum),
            mark: self.mark,
            now: self.now(),
            by: order,
            offset: offset,
            limit: limit
        )
    }

    /// Returns the letters of a filter.
    ///
    /// - Parameter limit: the number of letters at most.
    /// - Throws: `TooMany` if too many records would have to be read for the filter.
    package func letters(_ filter: LetterFilter, by order: LetterOrder = .oldest, limit: Int) throws
        -> [LetterView]
    {
        try self.index.letters(
            try self.narrowed(filter, limit: ReplayOptions.largestMaximum),
            mark: self.mark,
            by: order,
            limit: limit
        )
    }

    /// The number of records at most that one command reads for conditions on headers and payloads. The
    /// filter's other conditions narrow the letters by the index first.
    package static let lookLimit = 1_000_000

    /// Returns a filter that the index alone can answer: for conditions on headers and payloads it reads the
    /// records and names the letters that meet them.
    ///
    /// - Parameter limit: the number of letters at most that may meet such conditions.
    /// - Throws: `TooMany` beyond `limit`, or if more than `lookLimit` records would have to be read.
    func narrowed(_ filter: LetterFilter, limit: Int) throws -> LetterFilter {
        var filter = filter
        // The index may hold further topics, which an earlier refresh with other settings has read.
        filter.within = self.settings.topics
        guard filter.needsRecords else { return filter }
        var coarse = filter
        coarse.headers = []
        coarse.conditions = []
        let positions = try self.index.positions(coarse, mark: self.mark, limit: Self.lookLimit + 1)
        guard positions.count <= Self.lookLimit else { throw TooMany(count: Self.lookLimit) }
        var left: [LetterPosition] = []
        try self.reader.visit(positions) { position, record in
            guard left.count <= limit, Self.matches(record.copy(), filter) else { return }
            left.append(position)
        }
        guard left.count <= limit else { throw TooMany(count: limit) }
        var narrowed = LetterFilter()
        narrowed.positions = left
        // An empty list of positions sets no condition.
        narrowed.passesNone = left.isEmpty
        return narrowed
    }

    /// Returns the number of letters of a filter.
    ///
    /// - Throws: `TooMany` if too many records would have to be read for the filter.
    func count(_ filter: LetterFilter) throws -> Int {
        try self.index.count(
            try self.narrowed(filter, limit: ReplayOptions.largestMaximum),
            mark: self.mark
        )
    }

    /// More letters meet the filter, or more records would have to be read for it, than one command handles.
    package struct TooMany: Error, CustomStringConvertible {
        var count: Int

        package var description: String {
            "more than \(self.count) letters: narrow them with --since, --until, --reason, --group or --key first"
        }
    }

    /// Whether a record meets the filter's conditions on headers and payload.
    private static func matches(_ record: InboundRecord, _ filter: LetterFilter) -> Bool {
        for condition in filter.headers {
            let values = record.headers.filter { $0.isNamed(condition.name) }.map { $0.value ?? [] }
            guard !values.isEmpty else { return false }
            if let value = condition.value, !values.contains(Array(value.utf8)) { return false }
        }
        guard !filter.conditions.isEmpty else { return true }
        let facts = DeadLetterFacts(HeaderBlock(record.headers))
        let payload = DeadLetterPayload(of: record, schema: DeadLetterSchema(facts), findsFaults: false)
        return filter.conditions.allSatisfy { $0.holds(for: payload.tree) }
    }
}
