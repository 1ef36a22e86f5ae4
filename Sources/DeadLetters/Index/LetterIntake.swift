import Dispatch
import GRDB
import Synchronization

/// Gathers letters and writes them to the index, many at a time, with the counts of their groups.
///
/// Used by one thread. What it gathers is bounded by how often its owner writes.
final class LetterIntake {
    /// Of different groups that one look finds; what comes beyond goes to one of each topic and kind that is called
    /// `other`. Workers and reasons are made of headers, and whoever writes those may make up a new one each time.
    private static let groupLimit = 100_000
    private static let hour: Int64 = 3_600_000

    private struct Bucket: Sendable {
        var count: Int64 = 0
        var open: Int64 = 0
        var first: Int64
        var last: Int64

        init(first: Int64, last: Int64) {
            self.first = first
            self.last = last
        }

        mutating func count(_ row: LetterRow, _ state: LetterState) {
            self.count += 1
            self.open += state == .open ? 1 : 0
            self.first = min(self.first, row.at)
            self.last = max(self.last, row.at)
        }
    }

    private struct BucketKey: Hashable, Sendable {
        var group: Int
        var hour: Int64
    }

    private struct Pending: Sendable {
        var row: LetterRow
        var group: Int
    }

    private let index: LetterIndex
    private let clusterID: String
    private let mark: KeyedMark
    /// Groups by the order in which this intake met them, and what the index calls them once it knows them.
    private var places: [LetterGroup: Int] = [:]
    private var groups: [KnownGroup] = []
    private var sources: [String: Int64] = [:]
    private var pending: [Pending] = []
    private var underWay: WriteUnderWay?

    private struct KnownGroup: Sendable {
        var group: LetterGroup
        var replayable: String?
        var id: Int64?
    }

    private struct Written: Sendable {
        var groups: [KnownGroup]
        var sources: [String: Int64]
    }

    /// A write that goes on while the next letters are gathered: reading them takes as long as writing does.
    private final class WriteUnderWay: Sendable {
        private let result = Mutex<Result<Written, any Error>?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        func end(_ result: Result<Written, any Error>) {
            self.result.withLock { $0 = result }
            self.isDone.signal()
        }

        func wait() throws -> Written? {
            self.isDone.wait()
            return try self.result.withLock { $0 }?.get()
        }
    }

    init(_ index: LetterIndex, clusterID: String, mark: KeyedMark) {
        self.index = index
        self.clusterID = clusterID
        self.mark = mark
    }

    var count: Int { self.pending.count }

    func add(_ row: LetterRow, to group: LetterGroup, replayable: String?) {
        self.pending.append(Pending(row: row, group: self.place(of: group, replayable)))
    }

    private func place(of group: LetterGroup, _ replayable: String?) -> Int {
        if let place = self.places[group] { return place }
        var group = group
        var replayable = replayable
        if self.places.count >= Self.groupLimit {
            (group.worker, group.reason) = ("other", "other")
            replayable = nil
            if let place = self.places[group] { return place }
        }
        self.groups.append(KnownGroup(group: group, replayable: replayable))
        self.places[group] = self.groups.count - 1
        return self.groups.count - 1
    }

    /// Begins to write what was gathered, and that these partitions have been read so far; all of it or nothing.
    ///
    /// - Parameter stands: by partition's row: where reading began and where it has come to.
    /// - Throws: what became of the write before: `Overtaken` if another process has read on from the same place.
    func write(_ stands: [Int64: ClosedRange<Int64>]) throws {
        try self.finish()
        let (pending, groups, sources) = (self.pending, self.groups, self.sources)
        self.pending.removeAll(keepingCapacity: true)
        let underWay = WriteUnderWay()
        self.underWay = underWay
        self.index.pool.asyncWrite { [clusterID = self.clusterID, mark = self.mark] database in
            try LetterIndex.move(stands, in: database)
            let marker = LetterMarker(clusterID: clusterID, mark: mark)
            return try Self.write(pending, Written(groups: groups, sources: sources), marker, in: database)
        } completion: { _, result in
            underWay.end(result)
        }
    }

    /// Waits for the write that is under way.
    ///
    /// - Throws: what became of it.
    func finish() throws {
        guard let underWay else { return }
        self.underWay = nil
        guard let written = try underWay.wait() else { return }
        for (place, known) in written.groups.enumerated() { self.groups[place].id = known.id }
        self.sources = written.sources
    }

    private static func write(
        _ pending: [Pending],
        _ known: Written,
        _ marker: LetterMarker,
        in database: Database
    ) throws -> Written {
        var known = known
        var marker = marker
        let hasLedger = try Bool.fetchOne(database, sql: "SELECT EXISTS(SELECT 1 FROM ledger)") ?? false
        // Before the first look is over, repeats cannot be told yet: `indexLetterIDs` finds all of them at once.
        let knowsIDs = try LetterIndex.knowsIDs(in: database)
        var buckets: [BucketKey: Bucket] = [:]
        let insert = NumberInsertion(try database.cachedStatement(sql: Self.insertion))
        for pending in pending {
            let row = pending.row
            let id = marker.id(row.claim, at: row.position)
            let state = hasLedger ? try Self.state(of: id, in: database) : .open
            let group = try Self.id(of: pending.group, among: &known.groups, sample: row, in: database)
            let source = try row.source.map { try Self.id(of: $0.topic, among: &known.sources, in: database) }
            let key = row.key.map { marker.key($0) }
            let isRepeat = try knowsIDs && LetterIndex.isThere(id, in: row.position.topic, database)
            let numbers = Self.numbers(row, id, key: key, group: group, source: source, state, isRepeat)
            try insert(numbers)
            if !isRepeat {
                let bucket = BucketKey(group: pending.group, hour: row.at / Self.hour)
                buckets[bucket, default: Bucket(first: row.at, last: row.at)].count(row, state)
            }
            // Tells how a replay ended also where nobody publishes results.
            if let replay = row.replay {
                try LetterIndex.settle(replay, .deadAgain, reason: nil, at: row.at, in: database)
                try database.execute(
                    sql: "INSERT OR IGNORE INTO births(replay, place) VALUES (?, ?)",
                    arguments: [
                        replay, LetterIndex.place(partition: row.partition, offset: row.position.offset),
                    ]
                )
            }
        }
        try Self.add(buckets, known.groups, in: database)
        return known
    }

    private static let insertion = """
        INSERT INTO letters(place, grp, high, low, at, first, key, source, source_partition, source_offset, attempts,
            status, bytes, replays, state, repeat) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static func numbers(
        _ row: LetterRow,
        _ id: LetterID,
        key: Int64?,
        group: Int64,
        source: Int64?,
        _ state: LetterState,
        _ isRepeat: Bool
    ) -> InlineArray<16, Int64?> {
        [
            LetterIndex.place(partition: row.partition, offset: row.position.offset), group, id.high, id.low,
            row.at,
            row.first, key, source, row.source?.partition.map(Int64.init), row.source?.offset,
            row.attempts.map(Int64.init), row.status.map(Int64.init), row.bytes.map(Int64.init),
            Int64(row.replays),
            Int64(state.rawValue), isRepeat ? 1 : 0,
        ]
    }

    private static func state(of id: LetterID, in database: Database) throws -> LetterState {
        let statement = try database.cachedStatement(
            sql: "SELECT state FROM ledger WHERE high = ? AND low = ?"
        )
        let state = try Int.fetchOne(statement, arguments: [id.high, id.low])
        return state.flatMap(LetterState.init(rawValue:)) ?? .open
    }

    private static func id(
        of place: Int,
        among named: inout [KnownGroup],
        sample row: LetterRow,
        in database: Database
    ) throws -> Int64 {
        if let id = named[place].id { return id }
        let group = named[place].group
        let position = LetterIndex.place(partition: row.partition, offset: row.position.offset)
        try database.execute(
            sql: """
                INSERT INTO groups(mark, topic, worker, kind, reason, dialect, replayable, sample, sampled)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(mark) DO NOTHING
                """,
            arguments: [
                group.mark, group.topic, group.worker, group.kind, group.reason, group.dialect,
                named[place].replayable, position, row.at,
            ]
        )
        let id = try Int64.fetchOne(
            database,
            sql: "SELECT id FROM groups WHERE mark = ?",
            arguments: [group.mark]
        )
        guard let id else { throw DatabaseError(message: "a group that was just written is not there") }
        named[place].id = id
        return id
    }

    private static func id(
        of topic: String,
        among sources: inout [String: Int64],
        in database: Database
    ) throws -> Int64 {
        if let id = sources[topic] { return id }
        try database.execute(
            sql: "INSERT INTO sources(topic) VALUES (?) ON CONFLICT(topic) DO NOTHING",
            arguments: [topic]
        )
        let id = try Int64.fetchOne(
            database,
            sql: "SELECT id FROM sources WHERE topic = ?",
            arguments: [topic]
        )
        guard let id else { throw DatabaseError(message: "a source that was just written is not there") }
        sources[topic] = id
        return id
    }

    private static func add(
        _ buckets: [BucketKey: Bucket],
        _ named: [KnownGroup],
        in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO buckets(grp, hour, count, open, first, last) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT(grp, hour) DO UPDATE SET count = count + excluded.count, open = open + excluded.open,
                    first = min(first, excluded.first), last = max(last, excluded.last)
                """
        )
        for (key, bucket) in buckets {
            guard let id = named[key.group].id else { continue }
            try statement.execute(
                arguments: [id, key.hour, bucket.count, bucket.open, bucket.first, bucket.last]
            )
        }
    }
}

/// Another process has read on from the same place: look again where to go on.
struct Overtaken: Error {}
