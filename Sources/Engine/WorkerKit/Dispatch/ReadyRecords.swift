import ServiceKit

/// The records that wait for a slot or for an endpoint, and the choice of the next one.
///
/// In good times the records go in the order of their arrival, and records that have failed take turns with
/// fresh ones. While an upstream is in doubt, fresh records go first, by turns the newest, a random one, the
/// newest and the oldest. Each of them may show that the upstream is well, and records that arrived together
/// may all have the same fault. Now and then a record that has failed goes all the same, so that it too is
/// settled at some time.
struct ReadyRecords: Sendable {
    /// While an upstream is in doubt, one of this many records is one that has failed before.
    private static let shareOfFailed = 8

    private var fresh = PickedQueue()
    private var failed = FailedRecords()
    private var turn = 0

    var count: Int { self.fresh.count + self.failed.count }
    /// The number of records that have not failed yet.
    var freshCount: Int { self.fresh.count }
    /// The number of records that have not failed where others succeeded.
    var soundCount: Int { self.fresh.count + self.failed.soundCount }
    /// The number of records that have failed.
    var failedCount: Int { self.failed.count }
    var isEmpty: Bool { self.count == 0 }

    /// Adds a record.
    ///
    /// - Parameter failures: How often calls for the record have failed while others succeeded; nil if none has
    ///   failed at all.
    mutating func append(_ id: EntryID, failures: Int?) {
        if let failures { self.failed.append(id, failures: failures) } else { self.fresh.append(id) }
    }

    /// Removes and returns the next record; nil if there is none that may go.
    ///
    /// - Parameters:
    ///   - isInDoubt: Whether some upstream is not known to be well.
    ///   - mayFail: Whether a call may be made now for this record, which has failed before.
    mutating func pop(
        isInDoubt: Bool,
        using random: inout SplitMix64,
        mayFail: (EntryID) -> Bool
    ) -> EntryID? {
        self.turn &+= 1
        let isTurnOfFailed = isInDoubt ? self.turn % Self.shareOfFailed == 0 : self.turn % 2 == 0
        if isTurnOfFailed || self.fresh.isEmpty,
            let id = self.failed.pop(using: &random, mayGo: mayFail)
        {
            return id
        }
        return self.fresh.pop(isInDoubt: isInDoubt, using: &random)
            ?? self.failed.pop(using: &random, mayGo: mayFail)
    }

    var elements: [EntryID] { self.fresh.elements + self.failed.elements }

    /// Removes the records that are not wanted any more, and keeps the order of the rest.
    mutating func keep(where isWanted: (EntryID) -> Bool) {
        self.fresh.keep(where: isWanted)
        self.failed.keep(where: isWanted)
    }
}

/// A queue that gives its oldest record in good times. In doubt it gives, by turns, its newest, a random one,
/// its newest and its oldest.
struct PickedQueue: Sendable {
    private var records = Fifo<EntryID>()
    private var turn = 0

    var count: Int { self.records.count }
    var isEmpty: Bool { self.records.isEmpty }

    mutating func append(_ id: EntryID) { self.records.append(id) }

    mutating func popFirst() -> EntryID? { self.records.popFirst() }

    mutating func pop(isInDoubt: Bool, using random: inout SplitMix64) -> EntryID? {
        guard isInDoubt else { return self.records.popFirst() }
        self.turn = (self.turn + 1) % 4
        return switch self.turn {
        case 1, 3: self.records.popLast()
        case 2: self.records.popAny(using: &random)
        default: self.records.popFirst()
        }
    }

    mutating func keep(where isWanted: (EntryID) -> Bool) { self.records.keep(where: isWanted) }

    var elements: [EntryID] { self.records.elements }
}
