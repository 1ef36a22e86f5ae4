import Records
import ServiceKit

/// The things that a home partition has seen lately, each with the time at which it was seen and a short text.
///
/// The oldest are forgotten when their time is over, or earlier where memory is short: a table that is full
/// forgets something old and never refuses something new, so that nobody can stop it by filling it.
struct RecentTable {
    /// A hash of the thing's name: the first 128 bits of a SHA-256, because phones choose the names.
    struct Key: Hashable, Sendable {
        var high: UInt64
        var low: UInt64
    }

    /// The memory of one thing.
    struct Entry: Hashable, Sendable {
        /// The time in milliseconds since 1970.
        var seen: Int64
        var text: [UInt8]

        /// An estimate of the bytes in memory.
        var byteCount: Int { RecentTable.entryBytes + self.text.count }
    }

    private struct Turn {
        var key: Key
        var seen: Int64
    }

    private var entries: [Key: Entry] = [:]
    /// All entries in the order of their times, and older times of entries that were seen again.
    private var turns = Fifo<Turn>()
    private var textBytes = 0

    /// The bytes of an entry without its text: it stands in a table that is half empty, and in a queue.
    private static let entryBytes = 128

    var count: Int { self.entries.count }

    /// The number of turns, for tests.
    var turnCount: Int { self.turns.count }

    /// An estimate of the bytes in memory. Turns of what was seen again or is forgotten do not count: they are dropped once
    /// they are as many as the entries, and when the table is restored.
    var byteCount: Int { self.entries.count * Self.entryBytes + self.textBytes }

    /// Returns the memory of a thing; nil if it was not seen since a time in milliseconds since 1970.
    func entry(of key: Key, since least: Int64) -> Entry? {
        guard let entry = self.entries[key], entry.seen >= least else { return nil }
        return entry
    }

    /// Remembers a thing, in place of what was remembered of it.
    mutating func remember(_ key: Key, _ entry: Entry) {
        let before = self.entries.updateValue(entry, forKey: key)
        self.textBytes += entry.text.count - (before?.text.count ?? 0)
        // It has its turn already.
        guard before?.seen != entry.seen else { return }
        self.turns.append(Turn(key: key, seen: entry.seen))
        // Somebody may let the same thing be seen again and again.
        if self.turns.count > 2 * self.entries.count + 16 { self.tidy() }
    }

    /// Drops the turns of what was seen again or is forgotten, once the table is restored.
    mutating func tidy() { self.turns.keep { self.entries[$0.key]?.seen == $0.seen } }

    /// Forgets a thing, as a record of the changelog says.
    mutating func forget(_ key: Key) {
        guard let entry = self.entries.removeValue(forKey: key) else { return }
        self.textBytes -= entry.text.count
    }

    /// Forgets the oldest thing if it was seen before a time.
    ///
    /// - Parameter least: milliseconds since 1970; `Int64.max` for the oldest whatever its time is.
    /// - Returns: the key; nil if nothing is that old.
    mutating func forgetOldest(before least: Int64) -> Key? {
        while let turn = self.turns.first, turn.seen < least {
            _ = self.turns.popFirst()
            // The entry was seen again since, and has a later turn.
            guard self.entries[turn.key]?.seen == turn.seen else { continue }
            self.forget(turn.key)
            return turn.key
        }
        return nil
    }

    /// The time of the oldest turn; nil if there is none.
    var oldest: Int64? { self.turns.first?.seen }
}
