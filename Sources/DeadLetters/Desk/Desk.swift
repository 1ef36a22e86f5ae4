import Kafka
import Records
import WireFormats

/// All that the tool can do, for whatever shows it: a terminal or a page. Belongs to one thread, and waits there for
/// the cluster.
package final class Desk {
    package let reader: ClusterReader
    /// Who is at work: named in ledger and audit trail.
    package var user: String
    let now: () -> Int64

    /// - Parameter now: wall-clock milliseconds since 1970.
    package init(_ reader: ClusterReader, now: @escaping () -> Int64) {
        self.reader = reader
        self.user = reader.settings.user
        self.now = now
    }

    package var index: LetterIndex { self.reader.index }
    package var settings: DeadLetterSettings { self.reader.settings }
    package var mark: KeyedMark { self.reader.mark }

    /// Brings the index up to date.
    package func refresh(_ progress: (ClusterReader.Progress) -> Void = { _ in }) throws {
        try self.reader.refresh(progress)
    }

    /// A page of the groups that a filter leaves.
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

    /// The letters that a filter leaves.
    package func letters(_ filter: LetterFilter, newestFirst: Bool = false, limit: Int) throws -> [LetterView]
    {
        try self.index.letters(
            try self.narrowed(filter, limit: ReplayOptions.largestMaximum),
            mark: self.mark,
            newestFirst: newestFirst,
            limit: limit
        )
    }

    /// Of letters that are looked into for headers and payloads: the index narrows them first.
    package static let lookLimit = 1_000_000

    /// Looks into the records for what the index cannot tell, and names those letters that are left.
    private func narrowed(_ filter: LetterFilter, limit: Int) throws -> LetterFilter {
        var filter = filter
        // The index may be that of a wider look.
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
        // No letter at all must not become any letter.
        if left.isEmpty { narrowed.positions = [LetterPosition(topic: "", partition: -1, offset: -1)] }
        return narrowed
    }

    /// How many letters a filter leaves. What has to be looked into is counted only so far.
    func count(_ filter: LetterFilter) throws -> Int {
        try self.index.count(
            try self.narrowed(filter, limit: ReplayOptions.largestMaximum),
            mark: self.mark
        )
    }

    /// There is more to look into than one command should.
    package struct TooMany: Error, CustomStringConvertible {
        var count: Int

        package var description: String {
            "more than \(self.count) letters: narrow them with --since, --until, --reason, --group or --key first"
        }
    }

    private static func matches(_ record: InboundRecord, _ filter: LetterFilter) -> Bool {
        for condition in filter.headers {
            let values = record.headers.filter { $0.name == condition.name }.map { $0.value ?? [] }
            guard !values.isEmpty else { return false }
            if let value = condition.value, !values.contains(Array(value.utf8)) { return false }
        }
        guard !filter.conditions.isEmpty else { return true }
        let facts = DeadLetterFacts(HeaderBlock(record.headers))
        let payload = DeadLetterPayload(of: record, schema: DeadLetterSchema(facts), findsFaults: false)
        return filter.conditions.allSatisfy { $0.holds(for: payload.tree) }
    }
}
