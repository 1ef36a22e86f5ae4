/// One thing that happened to a record, as a record of some topic tells it. It holds no payload and no key.
struct LifeEvent: Hashable, Sendable {
    /// The thing that happened.
    enum Kind: Hashable, Sendable {
        /// The record was published to the input.
        case published
        /// The dead letter with this id was published again, as a new record of the input.
        case replayed(of: String)
        /// Somebody had the dead letter published again, as the ledger tells.
        case ordered(by: String)
        /// The intake passed the record on to the worker.
        case passedOn
        /// The record waits in a retry topic.
        case retried(reason: String, attempts: Int, due: Int64)
        /// The record was put aside, and waits for this room; empty for its turn.
        case parked(room: String)
        /// The ticket of the parked record was taken back.
        case unparked
        /// The record became a dead letter.
        case letter(kind: String, reason: String, replayable: String?)
        /// Somebody discarded the dead letter.
        case discarded(by: String)
        /// The record ended.
        case outcome(fate: String, reason: String?, attempts: Int)
    }

    var kind: Kind
    /// The place of the record that tells it.
    var place: RecordPlace
    /// The place of the input record that it happened to; nil for what is only known by the letter's id.
    var subject: RecordPlace?
    /// The publisher's record that the input record was made of (`flotilla.origin`); nil if it is that record.
    var origin: RecordPlace?
    /// The id of the dead letter that it is about; nil if there is none.
    var letter: String?
    /// The mark of the record's key; nil if it has none.
    var keyMark: String?
    /// Milliseconds since 1970; nil if the record carries no time.
    var at: Int64?

    /// The order of events of the same millisecond.
    var rank: Int {
        switch self.kind {
        case .published: 0
        case .passedOn: 1
        case .retried: 2
        case .parked: 3
        case .letter: 4
        case .outcome: 5
        case .unparked: 6
        case .ordered: 7
        case .replayed: 8
        case .discarded: 9
        }
    }
}
