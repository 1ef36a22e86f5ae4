/// A letter on its way into the index.
struct LetterRow: Hashable, Sendable {
    /// The row id of the letter's partition.
    var partition: Int64
    var position: LetterPosition
    /// The id that the letter's headers claim, to be checked.
    var claim: LetterClaim?
    /// The time at which the letter was written, in milliseconds since 1970.
    var at: Int64
    /// The time at which the record first failed, in milliseconds since 1970.
    var first: Int64?
    /// The record's key. The index stores only its mark.
    var key: [UInt8]?
    var source: Source?
    var attempts: Int?
    var status: Int?
    /// The size of the letter's value in bytes; nil for a tombstone.
    var bytes: Int?
    /// How often the record had been replayed before it became this letter, as its headers claim.
    var replays: Int
    /// The id of the replay whose record became this letter, as its headers claim; nil if they name none.
    var replay: String?
    /// The record that died, by which `replay` is checked; nothing without it.
    var record = SettledRecord()

    /// The position of the record that died, as far as the letter names it.
    struct Source: Hashable, Sendable {
        var topic: String
        /// The partition; nil if the letter does not name it.
        var partition: Int32?
        /// The offset; nil if the letter does not name it.
        var offset: Int64?
    }
}
