import Records

/// The meaning of one record of the ledger topic.
enum LedgerNews: Hashable, Sendable {
    /// A user replayed or discarded the letter.
    case entry(LedgerEntry)
    /// The entry of the letter was taken back by a tombstone, a record without a value.
    ///
    /// Compaction deletes the entries before the tombstone, so an index that is created again cannot know of
    /// them. Therefore every index forgets the letter's standing when it reads the tombstone.
    case withdrawn(LetterID)

    /// Reads a record of the ledger; nil if its key is not the id of a letter.
    init?(_ record: InboundRecord) {
        guard let key = record.key, let letter = LetterID(String(decoding: key, as: UTF8.self)) else {
            return nil
        }
        if record.value == nil {
            self = .withdrawn(letter)
        } else {
            self = .entry(LedgerEntry(record) ?? .unreadable(letter, at: record.timestamp ?? 0))
        }
    }
}

extension LedgerEntry {
    /// The entry that stands for one that this version cannot read, such as one of a later version.
    ///
    /// The letter counts as replayed, so that it is not replayed again without `--force`.
    fileprivate static func unreadable(_ letter: LetterID, at: Int64) -> LedgerEntry {
        LedgerEntry(
            letter: letter,
            action: .replayed,
            position: LetterPosition(topic: "", partition: 0, offset: 0),
            replay: nil,
            batch: "",
            replays: 0,
            by: "",
            because: "an entry of the ledger that this version cannot read",
            at: at,
            target: nil,
            edited: nil
        )
    }

    /// The texts of an entry, such as the user's reason, are larger than an entry may be.
    package struct TooLong: Error, CustomStringConvertible {
        /// The largest value of an entry in bytes.
        var limit: Int

        package var description: String {
            "the reason and the names that go with it are too long: an entry holds \(self.limit) bytes"
        }
    }
}
