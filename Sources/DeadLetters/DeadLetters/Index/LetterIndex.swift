package import GRDB

/// The records of dead letters, ledger and results that were read so far, in one SQLite file.
///
/// With it, only the first refresh reads all records; every later one reads the new ones. The index holds
/// nothing that Kafka does not have, and no payload, key or message. So its file can be deleted at any time,
/// and it is created again if it is damaged or of another version. Any number of processes and threads can
/// use one file.
package final class LetterIndex: Sendable {
    /// The connections to the file: one writer, and readers beside it.
    package let pool: DatabasePool

    /// The version of the tables. A file of another version is deleted and created again. The upper half is
    /// the same in all versions, and in no other kind of file.
    private static let version: Int64 = LetterIndex.kind << 16 | 7
    /// The number that marks a file as an index of dead letters.
    private static let kind: Int64 = 0x464C

    /// Opens an index, or creates it. Waits while another process opens it.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which is created if it does not exist.
    ///   - mark: makes the marks of keys. An index with marks of another salt is deleted and created again.
    ///   - isOwnPlace: whether the path is the tool's own. A file there that cannot be read is a damaged
    ///     index and may be deleted; at any other path it may be something else.
    /// - Throws: `NotAnIndex` for a file at a path of the user's choice that is no index; errors of SQLite
    ///   and of the file system.
    package init(path: String, mark: KeyedMark, isOwnPlace: Bool = true) throws {
        try IndexFile.prepare(path, remedy: IndexFile.remedy)
        // Processes open the index one after the other. SQLite waits for no lock while a file is new, a
        // process that creates the index again deletes the file first, and a file that another process is
        // still creating does not look like an index yet.
        let lock = try IndexLock(path)
        defer { lock.release() }
        guard try isOwnPlace || Self.isIndex(path) else { throw NotAnIndex(path: path) }
        self.pool = try Self.opened(path, mark.saltCheck)
    }

    /// The user has named a file that holds something else. The file was not changed.
    struct NotAnIndex: Error, CustomStringConvertible {
        var path: String

        var description: String {
            "'\(self.path)' is no index of dead letters: name another file, or delete it"
        }
    }

    /// Whether a file is an index or may become one, found out without changing it.
    ///
    /// A file that does not exist or is empty may become one: another process may be about to create the
    /// index there.
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

    /// Whether a database has no tables.
    private static func isEmpty(_ database: Database) throws -> Bool {
        try Int64.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    }

    /// Whether an error says that a file is damaged or no database.
    private static func isDamage(_ error: DatabaseError) -> Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode.primaryResultCode)
    }

    /// Runs `body`, and deletes the index if the error of `body` says that the file is damaged.
    ///
    /// A damaged file can be opened; the damage shows only when the damaged part is read.
    ///
    /// - Throws: `Damaged` after the file was deleted; other errors of `body`.
    func deletedIfDamaged<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError where Self.isDamage(error) {
            try IndexFile.delete(self.pool.path)
            throw Damaged()
        }
    }

    /// The index was damaged, and its file has been deleted. The next index that is opened at its path is
    /// new.
    struct Damaged: Error, CustomStringConvertible {
        var description: String {
            "the index was damaged and has been deleted: the same command again makes it anew"
        }
    }

    /// Opens the database, and creates it again if it is damaged, of another version, or has marks of another
    /// salt.
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
            // A damaged file is deleted and created again below.
        }
        try IndexFile.delete(path)
        try IndexFile.prepare(path, remedy: IndexFile.remedy)
        let pool = try DatabasePool(path: path, configuration: self.configuration)
        try pool.write { try self.lay(out: $0, salt) }
        return pool
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "index"
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { database in
            // A power cut may undo the last transactions, each as a whole. Their records are then read from
            // Kafka again.
            try database.execute(
                sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY"
            )
        }
        return configuration
    }

    /// Creates the tables in an empty database.
    private static func lay(out database: Database, _ salt: Int32) throws {
        guard try Int64.fetchOne(database, sql: "PRAGMA user_version") == 0, try self.isEmpty(database) else {
            return
        }
        try database.execute(sql: Self.layout)
        try database.execute(sql: "PRAGMA application_id = \(salt); PRAGMA user_version = \(Self.version)")
    }

    /// The tables of the index. A letter's place is one number: the row id of its partition, and its offset
    /// in the lower 44 bits.
    private static let layout = """
        CREATE TABLE partitions(
            id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL,
            UNIQUE(topic, partition));
        CREATE TABLE groups(
            id INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, worker TEXT NOT NULL,
            kind TEXT NOT NULL, reason TEXT NOT NULL, dialect TEXT NOT NULL, field TEXT NOT NULL,
            replayable TEXT, sample INTEGER NOT NULL, sampled INTEGER NOT NULL);
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
            at INTEGER NOT NULL, because TEXT NOT NULL, target TEXT NOT NULL, sent_to TEXT, edited TEXT,
            state INTEGER NOT NULL, reason TEXT, settled INTEGER) WITHOUT ROWID;
        CREATE TABLE endings(
            replay TEXT NOT NULL, state INTEGER NOT NULL, record TEXT NOT NULL, reason TEXT, at INTEGER NOT NULL,
            UNIQUE(replay, state, record));
        CREATE TABLE births(
            replay TEXT NOT NULL, place INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, record TEXT,
            PRIMARY KEY(replay, place)) WITHOUT ROWID;
        CREATE INDEX births_place ON births(place);
        CREATE INDEX births_letter ON births(high, low);
        CREATE INDEX replays_batch ON replays(batch, state);
        CREATE INDEX replays_letter ON replays(high, low);
        CREATE TABLE audit(
            place INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL, action TEXT NOT NULL, entry TEXT NOT NULL,
            grp TEXT);
        CREATE INDEX audit_group ON audit(grp, action, at) WHERE grp IS NOT NULL;
        CREATE TABLE told(
            kind TEXT NOT NULL, subject TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(kind, subject)) WITHOUT ROWID;
        """

    /// The number of bits that a place has for the offset.
    static let offsetBits: Int64 = 44

    /// Returns the place of an offset in a partition.
    static func place(partition: Int64, offset: Int64) -> Int64 { partition << Self.offsetBits | offset }
}
