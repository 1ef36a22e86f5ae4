package import GRDB

/// What has been read of dead letters, ledger and results, in one SQLite file: so that the second look at a million
/// letters costs nothing.
///
/// It holds nothing that is not in Kafka, and no payload, key or message: it can be deleted at any time, and is made
/// anew where it is damaged or of another version. Any number of processes and threads can use one file.
package final class LetterIndex: Sendable {
    package let pool: DatabasePool

    /// Of the file's layout. Another one is thrown away. The upper half is the same in all versions, and in no other file.
    private static let version: Int64 = LetterIndex.kind << 16 | 2
    private static let kind: Int64 = 0x464C

    /// - Parameters:
    ///   - path: of the file, made if it is not there.
    ///   - mark: what the keys of records are marked with. An index with marks of another salt is made anew.
    ///   - isOwnPlace: nobody else would keep a file there, so that what cannot be read is an index that was damaged.
    /// - Throws: `NotAnIndex` for a file at a place that somebody named, which could be anybody's.
    package init(path: String, mark: KeyedMark, isOwnPlace: Bool = true) throws {
        try IndexFile.prepare(path)
        // One after the other: SQLite waits for nobody while a file is new, who makes it anew deletes it, and a file that
        // another process is making is no index yet.
        let lock = try IndexLock(path)
        defer { lock.release() }
        guard try isOwnPlace || Self.isIndex(path) else { throw NotAnIndex(path: path) }
        self.pool = try Self.opened(path, mark.saltCheck)
    }

    /// Somebody named a file that holds something else: it is not touched.
    struct NotAnIndex: Error, CustomStringConvertible {
        var path: String

        var description: String {
            "'\(self.path)' is no index of dead letters: name another file, or delete it"
        }
    }

    /// Looks without changing anything. No file, or one without anything in it, can become an index: another process may
    /// be about to make it one.
    private static func isIndex(_ path: String) throws -> Bool {
        guard try IndexFile.byteCount(path) > 0 else { return true }
        do {
            var configuration = Self.configuration
            configuration.readonly = true
            return try DatabaseQueue(path: path, configuration: configuration).read { database in
                let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                return try version >> 16 == Self.kind || version == 0 && Self.isEmpty(database)
            }
        } catch let error as DatabaseError where Self.isDamage(error) {
            return false
        }
    }

    private static func isEmpty(_ database: Database) throws -> Bool {
        try Int64.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    }

    private static func isDamage(_ error: DatabaseError) -> Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode.primaryResultCode)
    }

    /// Does something with the index, and deletes its file if it turns out to be damaged: an index that is half there is
    /// found out only where somebody reads that half.
    func deletedIfDamaged<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError where Self.isDamage(error) {
            try IndexFile.delete(self.pool.path)
            throw Damaged()
        }
    }

    struct Damaged: Error, CustomStringConvertible {
        var description: String {
            "the index was damaged and has been deleted: the same command again makes it anew"
        }
    }

    private static func opened(_ path: String, _ salt: Int32) throws -> DatabasePool {
        do {
            let pool = try DatabasePool(path: path, configuration: self.configuration)
            try pool.write { try self.lay(out: $0, salt) }
            let isOurs = try pool.read { database in
                try Int64.fetchOne(database, sql: "PRAGMA user_version") == self.version
                    && Int32.fetchOne(database, sql: "PRAGMA application_id") == salt
            }
            if isOurs { return pool }
            try pool.close()
        } catch let error as DatabaseError where self.isDamage(error) {
            // Falls through: what cannot be read is made anew.
        }
        try IndexFile.delete(path)
        try IndexFile.prepare(path)
        let pool = try DatabasePool(path: path, configuration: self.configuration)
        try pool.write { try self.lay(out: $0, salt) }
        return pool
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "index"
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { database in
            // A power cut takes the last writes as a whole, and they are read again from Kafka.
            try database.execute(
                sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY"
            )
        }
        return configuration
    }

    private static func lay(out database: Database, _ salt: Int32) throws {
        guard try Int64.fetchOne(database, sql: "PRAGMA user_version") == 0, try self.isEmpty(database) else {
            return
        }
        try database.execute(sql: Self.layout)
        try database.execute(sql: "PRAGMA application_id = \(salt); PRAGMA user_version = \(Self.version)")
    }

    /// A letter's place is one number: its partition's row, and the offset in the lower 44 bits.
    private static let layout = """
        CREATE TABLE partitions(
            id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL,
            UNIQUE(topic, partition));
        CREATE TABLE groups(
            id INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, worker TEXT NOT NULL,
            kind TEXT NOT NULL, reason TEXT NOT NULL, dialect TEXT NOT NULL, replayable TEXT,
            sample INTEGER NOT NULL, sampled INTEGER NOT NULL);
        CREATE TABLE sources(id INTEGER PRIMARY KEY, topic TEXT NOT NULL UNIQUE);
        CREATE TABLE letters(
            place INTEGER PRIMARY KEY, grp INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL,
            at INTEGER NOT NULL, first INTEGER, key INTEGER, source INTEGER, source_partition INTEGER,
            source_offset INTEGER, attempts INTEGER, status INTEGER, bytes INTEGER, replays INTEGER NOT NULL,
            state INTEGER NOT NULL, repeat INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX letters_repeat ON letters(high, low) WHERE repeat = 1;
        CREATE TABLE buckets(
            grp INTEGER NOT NULL, hour INTEGER NOT NULL, count INTEGER NOT NULL, open INTEGER NOT NULL,
            first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY(grp, hour)) WITHOUT ROWID;
        CREATE TABLE ledger(
            high INTEGER NOT NULL, low INTEGER NOT NULL, state INTEGER NOT NULL, replay TEXT, replays INTEGER NOT NULL,
            by TEXT NOT NULL, at INTEGER NOT NULL, because TEXT NOT NULL, target TEXT, edited TEXT,
            PRIMARY KEY(high, low)) WITHOUT ROWID;
        CREATE TABLE replays(
            id TEXT PRIMARY KEY, batch TEXT NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, by TEXT NOT NULL,
            at INTEGER NOT NULL, because TEXT NOT NULL, target TEXT NOT NULL, edited TEXT, state INTEGER NOT NULL,
            reason TEXT, settled INTEGER) WITHOUT ROWID;
        CREATE TABLE endings(
            replay TEXT PRIMARY KEY, state INTEGER NOT NULL, reason TEXT, at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE births(
            replay TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY(replay, place)) WITHOUT ROWID;
        CREATE INDEX replays_batch ON replays(batch, state);
        CREATE INDEX replays_letter ON replays(high, low);
        CREATE TABLE audit(
            place INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL, action TEXT NOT NULL, entry TEXT NOT NULL);
        """

    static let offsetBits: Int64 = 44

    static func place(partition: Int64, offset: Int64) -> Int64 { partition << Self.offsetBits | offset }
}
