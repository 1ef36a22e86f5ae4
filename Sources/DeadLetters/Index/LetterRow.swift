/// What the index keeps of one letter.
struct LetterRow: Hashable, Sendable {
    /// The row of its partition.
    var partition: Int64
    var position: LetterPosition
    /// What it says that it is called.
    var claim: LetterClaim?
    /// When it was written: wall-clock milliseconds since 1970.
    var at: Int64
    var first: Int64?
    /// The record's own, of which only a mark is kept.
    var key: [UInt8]?
    var source: Source?
    var attempts: Int?
    var status: Int?
    var bytes: Int?
    /// How often it had been replayed before it died this time.
    var replays: Int
    /// The replay that it died of, if it did.
    var replay: String?

    /// Where the dead record stood.
    struct Source: Hashable, Sendable {
        var topic: String
        /// Nil, both or one, where a letter names no more than the topic.
        var partition: Int32?
        var offset: Int64?
    }
}
