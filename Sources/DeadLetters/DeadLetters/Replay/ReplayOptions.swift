/// The user's options for a replay.
package struct ReplayOptions: Sendable {
    /// The topic that every letter is replayed to; nil for the topic that each record came from.
    package var target: String?
    /// The timestamp of the replayed record: that of the original record or the time of sending. A worker's
    /// deadline counts from it.
    package var timestamp: ReplayedRecord.TimestampPolicy = .original
    /// The number of records per second at most; nil for as many as the cluster accepts.
    package var rate: Double?
    /// The number of letters at most. The oldest are taken, and those beyond the maximum stay as they are.
    package var maximum = 10_000
    /// Whether letters are replayed that were discarded, were replayed without success, were replayed too
    /// often, or cannot be helped by a replay.
    package var force = false
    /// Whether letters are replayed of which a replay has succeeded. The upstream does its work, such as
    /// counting a conversion, a second time.
    package var again = false
    /// How often a record may be replayed in its life.
    package var replayLimit = 3
    /// The user's reason, for the ledger and the audit trail.
    package var because = ""
    /// The user's choice of letters in words, for the audit trail.
    package var selection = ""
    /// The values to send instead of the records' own; nil sends those.
    package var edit: Edit?

    /// A choice of values to send instead of the records' own.
    package enum Edit: Sendable {
        /// This value, which is allowed for a single letter only.
        case value([UInt8])
        /// Each record's own message, changed by a script. A letter that the script does not change, or cannot
        /// change, is not replayed.
        case script(PayloadScript)
    }

    /// The largest `maximum`, because one command holds its letters in memory.
    package static let largestMaximum = 100_000

    /// Creates the options of a plain replay: original topic and timestamp, no rate limit, at most 10,000
    /// letters, three replays per record.
    package init() {}
}
