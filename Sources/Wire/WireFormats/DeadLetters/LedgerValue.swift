/// The value of a record of `dead-letters.ledger`, as JSON: what the dead-letter tool did about one dead letter. The
/// record's key is the letter's id. A record without a value takes the entry of its key back.
package struct LedgerValue: Codable, Hashable, Sendable {
    /// The version of the format. A reader takes no other one.
    package static let currentVersion = 1
    /// The largest value in bytes that is written or read.
    package static let bytesLimit = 64 << 10

    package var version = Self.currentVersion
    /// `replayed` or `discarded`.
    package var action: String
    /// The position of the letter in its topic of dead letters.
    package var topic: String
    package var partition: Int32
    package var offset: Int64
    /// The id of the replay, as in the header `dlq.replay_id`; nil for a discarded letter.
    package var replay: String?
    /// The id of the command that wrote the entry.
    package var batch: String
    /// The number of replays in the record's life, this one included.
    package var replays: Int
    package var by: String
    package var because: String
    /// Milliseconds since 1970.
    package var at: Int64
    /// The topic that the record was replayed to; nil for a discarded letter.
    package var target: String?
    /// The place that the replayed record got in `target`; nil in entries of earlier versions, and if the broker did not
    /// tell it.
    package var targetPartition: Int32?
    package var targetOffset: Int64?
    /// The SHA-256 of the value before its first edit, in hexadecimal digits; nil if no replay has changed the value.
    package var edited: String?

    package init(
        action: String,
        topic: String,
        partition: Int32,
        offset: Int64,
        replay: String?,
        batch: String,
        replays: Int,
        by: String,
        because: String,
        at: Int64,
        target: String?,
        edited: String?
    ) {
        self.action = action
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.replay = replay
        self.batch = batch
        self.replays = replays
        self.by = by
        self.because = because
        self.at = at
        self.target = target
        self.edited = edited
    }
}
