import Kafka

/// Where the producer's transactions stand, with `delivery: exactly-once`.
struct TransactionState: Sendable {
    enum Stage: Hashable, Sendable {
        /// There is no producer that could begin one: it is made, or made anew, at this monotonic time.
        case closed(retryAt: Int64)
        case opening
        /// It is to be asked at this monotonic time whether the last commit, which was never answered, took place.
        case deciding(retryAt: Int64)
        case open
        /// Nobody joins it any more: what was sent in it is to be acknowledged, and then it is committed.
        case closing
        case committing
        case aborting
    }

    var stage = Stage.closed(retryAt: .min)
    /// The records that something was sent of, in that order.
    var members: [EntryID] = []
    /// Members that the broker has not acknowledged all of.
    var unacknowledged = 0
    /// Records that are ready to be sent when there is a transaction, in the order in which they became so.
    var waiting = Fifo<EntryID>()
    /// Records of keys of which some are to be sent again, in order: each has to be written before the next is sent. The
    /// first is on its way, or waiting for a transaction.
    var lines: [OrderingKey: Fifo<EntryID>] = [:]
    /// What the commit under way says, or the one that was never answered.
    var positions: [CommittedPosition] = []
    /// Something in it failed, or belongs to partitions that are gone: it can only be aborted.
    var isBroken = false
    /// Transactions in a row that were not committed.
    var failures = 0
    /// None is ended before this monotonic time.
    var notBefore: Int64 = .min

    /// Whether a commit is under way or was never answered.
    var isInDoubt: Bool { !self.positions.isEmpty }

    /// The records are somebody else's from now on. What was sent of them must not be committed.
    mutating func forgetMembers() {
        if !self.members.isEmpty { self.isBroken = true }
        self.members = []
        self.unacknowledged = 0
        self.waiting = Fifo()
        self.lines = [:]
        self.positions = []
    }
}
