import Dispatch
import GRDB
import Synchronization

/// Collects letters and writes them to the index in large transactions, with the counts of their groups.
///
/// The write of one chunk runs while the next chunk is read. Used by one thread. The letters in memory are
/// bounded by how often its owner calls `write`.
final class LetterIntake {
    /// The number of groups that one refresh may find. Beyond it, letters go to a group `other` of their
    /// topic, class and dialect.
    ///
    /// Workers and reasons come from headers, and a publisher may invent a new one for each letter.
    private static let groupLimit = 100_000

    /// The counts of one group in one hour.
    private struct Bucket: Sendable {
        var count: Int64 = 0
        var open: Int64 = 0
        /// The times of the first and the last letter, in milliseconds since 1970.
        var first: Int64
        var last: Int64

        init(first: Int64, last: Int64) {
            self.first = first
            self.last = last
        }

        /// Adds a letter to the counts.
        mutating func count(_ row: LetterRow, _ state: LetterState) {
            self.count += 1
            self.open += state == .open ? 1 : 0
            self.first = min(self.first, row.at)
            self.last = max(self.last, row.at)
        }
    }

    /// A group, by its number in this intake, and an hour since 1970.
    private struct BucketKey: Hashable, Sendable {
        var group: Int
        var hour: Int64
    }

    /// A letter that waits to be written, with the number of its group in this intake.
    private struct Pending: Sendable {
        var row: LetterRow
        var group: Int
    }

    private let index: LetterIndex
    private let clusterID: String
    private let mark: KeyedMark
    /// The numbers of the groups in this intake, in the order of their first letters; they are indices of
    /// `groups`.
    private var places: [LetterGroup: Int] = [:]
    /// The groups with their row ids, once the index has given them.
    private var groups: [KnownGroup] = []
    /// The row ids of the dead records' topics.
    private var sources: [String: Int64] = [:]
    private var pending: [Pending] = []
    private var underWay: WriteUnderWay?

    /// A group and its row id; the id is nil until the group is written.
    private struct KnownGroup: Sendable {
        var group: LetterGroup
        var replayable: String?
        var id: Int64?
    }

    /// The row ids that are known after a write.
    private struct Written: Sendable {
        var groups: [KnownGroup]
        var sources: [String: Int64]
    }

    /// A write that runs while the next letters are read, because reading takes as long as writing.
    private final class WriteUnderWay: Sendable {
        private let result = Mutex<Result<Written, any Error>?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        /// Hands over the result of the write. Called once, on the database's queue.
        func end(_ result: Result<Written, any Error>) {
            self.result.withLock { $0 = result }
            self.isDone.signal()
        }

        /// Blocks until the write has ended, and returns its result.
        ///
        /// - Throws: the error of the write.
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

    /// The number of letters that wait to be written.
    var count: Int { self.pending.count }

    /// Adds a letter, which the next call of `write` writes.
    func add(_ row: LetterRow, to group: LetterGroup, replayable: String?) {
        self.pending.append(Pending(row: row, group: self.place(of: group, replayable)))
    }

    /// Returns the number of a group in this intake; beyond `groupLimit` that of a group `other`.
    private func place(of group: LetterGroup, _ replayable: String?) -> Int {
        if let place = self.places[group] { return place }
        var group = group
        var replayable = replayable
        if self.places.count >= Self.groupLimit {
            (group.worker, group.reason, group.field) = ("other", "other", "")
            replayable = nil
            if let place = self.places[group] { return place }
        }
        self.groups.append(KnownGroup(group: group, replayable: replayable))
        self.places[group] = self.groups.count - 1
        return self.groups.count - 1
    }

    /// Begins a transaction that writes the collected letters together with how far their partitions have
    /// been read.
    ///
    /// - Parameter stands: the old and the new offset of each partition, by its row id.
    /// - Throws: the error of the write before this one: `Overtaken` if another process has read the same
    ///   records meanwhile.
    func write(_ stands: [Int64: ClosedRange<Int64>]) throws {
        try self.finish()
        let (pending, groups, sources) = (self.pending, self.groups, self.sources)
        self.pending.removeAll(keepingCapacity: true)
        let underWay = WriteUnderWay()
        self.underWay = underWay
        self.index.pool.asyncWrite { [clusterID = self.clusterID, mark = self.mark] database in
            try LetterIndex.move(stands, in: database)
            let marker = LetterMarker(clusterID: clusterID, mark: mark)
            return try Self.write(
                pending,
                Written(groups: groups, sources: sources),
                marker: marker,
                in: database
            )
        } completion: { _, result in
            underWay.end(result)
        }
    }

    /// Blocks until the write that was begun last has ended.
    ///
    /// - Throws: the error of that write.
    func finish() throws {
        guard let underWay else { return }
        self.underWay = nil
        guard let written = try underWay.wait() else { return }
        for (place, known) in written.groups.enumerated() { self.groups[place].id = known.id }
        self.sources = written.sources
    }

    /// Writes letters, groups and counts. Runs inside the transaction, on the database's queue.
    private static func write(
        _ pending: [Pending],
        _ known: Written,
        marker: LetterMarker,
        in database: Database
    ) throws -> Written {
        var known = known
        var marker = marker
        let hasLedger = try Bool.fetchOne(database, sql: "SELECT EXISTS(SELECT 1 FROM ledger)") ?? false
        // During the first refresh repeats cannot be found, because there is no SQL index of ids yet.
        // `indexLetterIDs` finds all of them afterwards.
        let knowsIDs = try LetterIndex.knowsIDs(in: database)
        var buckets: [BucketKey: Bucket] = [:]
        let insert = NumberInsertion(try database.cachedStatement(sql: Self.insertion))
        for pending in pending {
            let row = pending.row
            let id = marker.id(row.claim, at: row.position)
            let isReplayed = try Self.noteBirth(of: id, row, in: database)
            let state =
                hasLedger || isReplayed
                ? try Self.state(of: id, isReplayed: isReplayed, in: database) : .open
            let group = try Self.id(of: pending.group, among: &known.groups, sample: row, in: database)
            let source = try row.source.map { try Self.id(of: $0.topic, among: &known.sources, in: database) }
            let key = row.key.map { marker.key($0) }
            let isRepeat = try knowsIDs && LetterIndex.isThere(id, in: row.position.topic, database)
            let numbers = Self.numbers(
                row,
                id,
                key: key,
                group: group,
                source: source,
                state: state,
                isRepeat: isRepeat
            )
            try insert(numbers)
            if !isRepeat {
                let bucket = BucketKey(group: pending.group, hour: row.at / LetterIndex.hour)
                buckets[bucket, default: Bucket(first: row.at, last: row.at)].count(row, state)
            }
        }
        try Self.add(buckets, known.groups, in: database)
        return known
    }

    private static let insertion = """
        INSERT INTO letters(place, grp, high, low, at, first, key, source, source_partition, source_offset, attempts,
            status, bytes, replays, state, repeat) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// The sixteen columns of a letter, in the order of `insertion`.
    private static func numbers(
        _ row: LetterRow,
        _ id: LetterID,
        key: Int64?,
        group: Int64,
        source: Int64?,
        state: LetterState,
        isRepeat: Bool
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

    /// Stores the replay whose record became this letter. Returns whether the ledger knows that replay.
    private static func noteBirth(of id: LetterID, _ row: LetterRow, in database: Database) throws -> Bool {
        guard let replay = row.replay else { return false }
        return try LetterIndex.noteBirth(
            of: id,
            row.record,
            replay: replay,
            place: LetterIndex.place(partition: row.partition, offset: row.position.offset),
            at: row.at,
            in: database
        )
    }

    /// Returns the state of a letter by the ledger. Without an entry it is `open`, or `succeeded` if a replay of the
    /// letter's record has succeeded.
    private static func state(
        of id: LetterID,
        isReplayed: Bool,
        in database: Database
    ) throws -> LetterState {
        let statement = try database.cachedStatement(
            sql: "SELECT state FROM ledger WHERE high = ? AND low = ?"
        )
        let state = try Int.fetchOne(statement, arguments: [id.high, id.low])
        if let state = state.flatMap(LetterState.init(rawValue:)) { return state }
        return try isReplayed && LetterIndex.success(of: id, in: database) != nil ? .succeeded : .open
    }

    /// Returns the row id of a group, which is added if the index does not have it.
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
                INSERT INTO groups(mark, topic, worker, kind, reason, dialect, field, replayable, sample, sampled)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(mark) DO NOTHING
                """,
            arguments: [
                group.mark, group.topic, group.worker, group.kind, group.reason, group.dialect,
                group.field, named[place].replayable, position, row.at,
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

    /// Returns the row id of a source topic, which is added if the index does not have it.
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

    /// Adds these counts to those of the index.
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

/// The error of a write that comes too late: another process has written the same records to the index. The
/// caller has to ask the index again where to go on.
struct Overtaken: Error {}
