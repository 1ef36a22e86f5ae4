import Records

/// What a record of the ledger tells.
enum LedgerNews: Hashable, Sendable {
    /// Something was done about a letter.
    case entry(LedgerEntry)
    /// Somebody has taken back what the ledger said of a letter: its record has no value, and compaction takes away
    /// what stood before it. An index that is made anew cannot know any more, so no index does.
    case withdrawn(LetterID)

    /// Nil for a record whose key is no letter's id.
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
    /// Somebody has done something about the letter, and a later version has written down what. Whatever it was,
    /// nothing is replayed before somebody has looked.
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

    /// More has been said about it than an entry holds.
    package struct TooLong: Error, CustomStringConvertible {
        var limit: Int

        package var description: String {
            "the reason and the names that go with it are too long: an entry holds \(self.limit) bytes"
        }
    }
}
