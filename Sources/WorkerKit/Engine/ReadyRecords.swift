/// The records that wait for a slot, or for an endpoint, and which of them is next.
///
/// In good times they go in the order of arrival, and a record that has failed before takes turns with a fresh one. While
/// an upstream is in doubt, fresh ones go first, by turns the newest, any, the newest and the oldest: each of them may show that the
/// upstream is well, and those that came together may all have the same fault. Now and then a record that has failed goes
/// all the same, so that it comes to its end.
struct ReadyRecords: Sendable {
    /// While an upstream is in doubt, one of so many is a record that has failed before.
    private static let shareOfFailed = 8

    private var fresh = PickedQueue()
    /// Records whose calls have failed before.
    private var failed = Fifo<EntryID>()
    private var turn = 0

    var count: Int { self.fresh.count + self.failed.count }
    /// Records that have not failed yet.
    var freshCount: Int { self.fresh.count }
    var isEmpty: Bool { self.count == 0 }

    mutating func append(_ id: EntryID, hasFailed: Bool) {
        if hasFailed { self.failed.append(id) } else { self.fresh.append(id) }
    }

    /// Takes the next one out.
    ///
    /// - Parameters:
    ///   - isInDoubt: whether some upstream is not known to be well.
    ///   - mayFail: whether a record that has failed before may be called for now.
    mutating func pop(
        isInDoubt: Bool,
        using random: inout SplitMix64,
        mayFail: (EntryID) -> Bool
    ) -> EntryID? {
        self.turn &+= 1
        let isTurnOfFailed = isInDoubt ? self.turn % Self.shareOfFailed == 0 : self.turn % 2 == 0
        if isTurnOfFailed || self.fresh.isEmpty, let id = self.popFailed(mayFail) { return id }
        return self.fresh.pop(isInDoubt: isInDoubt, using: &random) ?? self.popFailed(mayFail)
    }

    /// Looks at a few: all of them may be outliers that have to wait.
    private mutating func popFailed(_ mayFail: (EntryID) -> Bool) -> EntryID? {
        for _ in 0..<min(8, self.failed.count) {
            guard let id = self.failed.popFirst() else { return nil }
            if mayFail(id) { return id }
            self.failed.append(id)
        }
        return nil
    }

    var elements: [EntryID] { self.fresh.elements + self.failed.elements }

    /// Leaves out what is not wanted any more, and keeps the order of the rest.
    mutating func keep(where isWanted: (EntryID) -> Bool) {
        self.fresh.keep(where: isWanted)
        self.failed.keep(where: isWanted)
    }
}

/// A queue that gives its oldest, or by turns its newest, any, its newest and its oldest.
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
