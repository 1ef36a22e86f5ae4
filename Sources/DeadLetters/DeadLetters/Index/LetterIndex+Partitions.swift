import GRDB
import Kafka

extension LetterIndex {
    /// The progress of reading one partition.
    struct Stand: Hashable, Sendable {
        /// The row id of the partition.
        var id: Int64
        /// The first offset that has not been read yet.
        var next: Int64
    }

    /// Returns how far these partitions have been read. A partition that the index does not know is added.
    ///
    /// - Parameter partitions: with the offset at which each begins if it is new.
    func stands(
        of partitions: [TopicPartition: Int64]
    ) throws -> [TopicPartition: Stand] {
        try self.pool.write { database in
            var stands: [TopicPartition: Stand] = [:]
            for (partition, start) in partitions.sorted(by: { $0.key < $1.key }) {
                try database.execute(
                    sql: """
                        INSERT INTO partitions(topic, partition, next) VALUES (?, ?, ?)
                        ON CONFLICT(topic, partition) DO NOTHING
                        """,
                    arguments: [partition.topic, partition.partition, start]
                )
                let row = try Row.fetchOne(
                    database,
                    sql: "SELECT id, next FROM partitions WHERE topic = ? AND partition = ?",
                    arguments: [partition.topic, partition.partition]
                )
                guard let row else {
                    throw DatabaseError(message: "a partition that was just written is not there")
                }
                stands[partition] = Stand(id: row[0], next: row[1])
            }
            return stands
        }
    }

    /// Removes the letters before an offset, because the broker has deleted them.
    func prune(_ stand: Stand, before offset: Int64) throws {
        let places =
            Self.place(partition: stand.id, offset: 0)..<Self.place(partition: stand.id, offset: offset)
        let isClean = try self.pool.read { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT NOT EXISTS(SELECT 1 FROM letters WHERE place >= ? AND place < ?)",
                arguments: [places.lowerBound, places.upperBound]
            ) ?? true
        }
        if !isClean { try self.pool.write { try Self.remove(places, in: $0) } }
    }

    /// Removes all letters of a partition, because its topic was created again, and sets the offset where
    /// reading goes on.
    func forget(_ stand: Stand, restartingAt offset: Int64) throws {
        let places =
            Self.place(partition: stand.id, offset: 0)..<Self.place(partition: stand.id + 1, offset: 0)
        try self.pool.write { database in
            try Self.remove(places, in: database)
            try database.execute(
                sql: "UPDATE partitions SET next = ? WHERE id = ?",
                arguments: [offset, stand.id]
            )
        }
    }

    /// Removes all letters of partitions that the cluster does not have any more.
    func forgetPartitions(unless isThere: (TopicPartition) -> Bool) throws {
        let gone = try self.pool.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT topic, partition, id, next FROM partitions")
            var gone: [Stand] = []
            while let row = try rows.next() {
                guard !isThere(TopicPartition(topic: row[0], partition: row[1])) else { continue }
                gone.append(Stand(id: row[2], next: row[3]))
            }
            return gone
        }
        for stand in gone where try self.lastLetter(of: stand) != nil {
            try self.forget(stand, restartingAt: 0)
        }
    }

    /// Repairs the groups after letters were removed.
    ///
    /// If the sample letter of at least one group is gone, every group gets its last letter as its sample,
    /// and the times of the first and last letter of each hour are computed again. Otherwise nothing is done.
    func mendGroups() throws {
        let isStale = try self.pool.read { database in
            try Bool.fetchOne(
                database,
                sql: """
                    SELECT EXISTS(SELECT 1 FROM groups WHERE id IN (SELECT grp FROM buckets) AND NOT EXISTS(
                        SELECT 1 FROM letters WHERE place = groups.sample AND grp = groups.id))
                    """
            ) ?? false
        }
        guard isStale else { return }
        try self.pool.write { database in
            try database.execute(
                sql: """
                    UPDATE groups SET sample = last.place
                    FROM (SELECT grp, max(place) AS place FROM letters GROUP BY grp) AS last
                    WHERE groups.id = last.grp;
                    UPDATE buckets SET first = mended.first, last = mended.last
                    FROM (SELECT grp, at / 3600000 AS hour, min(at) AS first, max(at) AS last
                          FROM letters WHERE repeat = 0 GROUP BY 1, 2) AS mended
                    WHERE buckets.grp = mended.grp AND buckets.hour = mended.hour
                    """
            )
        }
    }

    /// Sets the offset where reading of a partition goes on, and keeps its letters.
    func restart(_ stand: Stand, at offset: Int64) throws {
        try self.pool.write { database in
            try database.execute(
                sql: "UPDATE partitions SET next = ? WHERE id = ?",
                arguments: [offset, stand.id]
            )
        }
    }

    /// Removes the letters of a range of places, and takes them out of the counts.
    ///
    /// A letter that has a further copy elsewhere is counted there from now on.
    private static func remove(_ places: Range<Int64>, in database: Database) throws {
        let bounds: StatementArguments = [places.lowerBound, places.upperBound]
        let heirs = try self.heirs(of: places, in: database)
        try self.uncount("place >= ? AND place < ?", bounds, in: database)
        for table in ["letters", "births"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE place >= ? AND place < ?",
                arguments: bounds
            )
        }
        try database.execute(sql: "DELETE FROM buckets WHERE count <= 0")
        try self.count(heirs, in: database)
    }

    /// Stores how far partitions have been read, by row id: the old and the new offset.
    ///
    /// - Throws: `Overtaken` if another process has stored another offset since the old one was read.
    static func move(_ stands: [Int64: ClosedRange<Int64>], in database: Database) throws {
        for (partition, stand) in stands {
            try database.execute(
                sql: "UPDATE partitions SET next = ? WHERE id = ? AND next = ?",
                arguments: [stand.upperBound, partition, stand.lowerBound]
            )
            guard database.changesCount == 1 else { throw Overtaken() }
        }
    }
}

extension LetterIndex {
    /// Returns how far these partitions have been read, for those that the index knows.
    func knownStands(of partitions: Set<TopicPartition>) throws -> [TopicPartition: Stand] {
        try self.pool.read { database in
            var stands: [TopicPartition: Stand] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT topic, partition, id, next FROM partitions")
            while let row = try rows.next() {
                let partition = TopicPartition(topic: row[0], partition: row[1])
                if partitions.contains(partition) { stands[partition] = Stand(id: row[2], next: row[3]) }
            }
            return stands
        }
    }

    /// The last letter that was read of a partition. If the letter at its offset is another one now, the
    /// topic was created again.
    struct Anchor: Hashable, Sendable {
        var offset: Int64
        var id: LetterID
        var at: Int64
    }

    /// Returns the letter with the highest offset of a partition; nil if the index has none.
    func lastLetter(of stand: Stand) throws -> Anchor? {
        try self.pool.read { database in
            let row = try Row.fetchOne(
                database,
                sql:
                    "SELECT place, high, low, at FROM letters WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT 1",
                arguments: [
                    Self.place(partition: stand.id, offset: 0),
                    Self.place(partition: stand.id + 1, offset: 0),
                ]
            )
            return row.map { row in
                let place: Int64 = row[0]
                return Anchor(
                    offset: place & (1 << Self.offsetBits - 1),
                    id: LetterID(high: row[1], low: row[2]),
                    at: row[3]
                )
            }
        }
    }

    /// Returns the topics in which replays wait for their outcome, or have ended without success since a time. Each comes
    /// with the time of its oldest replay that has not succeeded, in milliseconds since 1970.
    func waitingReplays(endedSince: Int64) throws -> [String: Int64] {
        try self.pool.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT target, min(at) FROM replays WHERE state <> ?1 GROUP BY target
                    HAVING max(state = ?2 OR max(at, coalesce(settled, at)) >= ?3)
                    """,
                arguments: [LetterState.succeeded.rawValue, LetterState.replayed.rawValue, endedSince]
            )
            return Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
        }
    }
}
