import Kafka
import ServiceKit

/// The state of the producer's transactions, with `delivery: exactly-once`.
struct TransactionState: Sendable {
    /// The stages of a transaction.
    enum Stage: Hashable, Sendable {
        /// No producer can begin a transaction. One is made, or made anew, at this monotonic time.
        case closed(retryAt: Int64)
        /// A new producer is being registered, and its first transaction begins.
        case opening
        /// The last commit was never answered, and may or may not have taken place. The group's committed
        /// offsets are asked for at this monotonic time.
        case deciding(retryAt: Int64)
        /// Records may join the transaction.
        case open
        /// No record may join any more. When the rest is acknowledged, the transaction is committed.
        case closing
        case committing
        case aborting
    }

    var stage = Stage.closed(retryAt: .min)
    /// The records of which something was sent in the transaction, in that order.
    var members: [EntryID] = []
    /// The records that are ready to be sent and wait for a transaction, in the order in which they became
    /// ready.
    var waiting = Fifo<EntryID>()
    /// For each key with records that are sent again: these records in order. Each has to be written before
    /// the next is sent. The first of them is being sent, or waits for a transaction.
    var lines: [OrderingKey: Fifo<EntryID>] = [:]
    /// The positions of the commit that is under way, or of the last one if it was never answered.
    var positions: [CommittedPosition] = []
    /// Whether the transaction can only be aborted, because something in it failed or belongs to partitions
    /// that are gone.
    var isBroken = false
    /// The number of transactions in a row that were not committed.
    var failures = 0
    /// The monotonic time before which a transaction is not closed, and a broken one not aborted.
    var notBefore: Int64 = .min

    /// Whether a commit is under way or was never answered.
    var isInDoubt: Bool { !self.positions.isEmpty }

    /// Forgets all records, because they belong to another owner from now on. A transaction in which some of
    /// them were sent must not be committed.
    mutating func forgetMembers() {
        if !self.members.isEmpty { self.isBroken = true }
        self.members = []
        self.waiting = Fifo()
        self.lines = [:]
        self.positions = []
    }
}
