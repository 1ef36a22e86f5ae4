import ServiceKit

/// The parked records of one partition, in the order of their offsets.
///
/// Two rules keep the order of each key, and the engine must follow both. A record whose key has a parked
/// record is parked too (`room(of:)`). Records are taken in hand again by `next` or `probes`, which give no
/// record that comes after a parked one of its key. So all records of a key in hand come before all its
/// parked ones.
struct ParkedRecords: Sendable {
    /// The history of a record before it was parked, as far as this worker knows it.
    struct Past: Sendable {
        var attempts = 0
        var countedFailures = 0
        var ambiguousAttempts = 0
        /// The time at which the record was taken in, in milliseconds since 1970.
        var receivedAt: Int64
        /// The time at which a call for the record first failed, in milliseconds since 1970; nil if none has.
        var firstFailedAt: Int64?
        /// The code and the text of the reason why the last call failed; nil if none has.
        var lastReason: (code: String, message: String)?
        /// Whether a call for the record has failed, be it by the upstream's fault.
        var hasFailed = false
        /// Whether the last failure came while calls for other records succeeded.
        var failedAlone = false
        /// The number of such failures.
        var failuresAlone = 0
        /// Whether the record has failed so often where others succeeded that it is probably at fault itself.
        var isFaulty: Bool { self.failuresAlone >= Entry.faulty }
        /// The lane of the last call; nil if none was made.
        var lastLane: String?
        /// The monotonic time before which no call is made for the record, in nanoseconds.
        var due = Int64.min
        /// The monotonic time at which the record's life is over, in nanoseconds, whatever the wall clock says.
        var expiresAt = Int64.max
        /// Whether the record waits for the time that its publisher has set.
        var isDelayed = false
    }

    struct Record: Sendable {
        enum State: Sendable {
            /// The ticket was sent, and the broker has not acknowledged it.
            case parking
            /// The broker has the ticket, and the record is not in hand.
            case parked
            /// The record was read again, and a record in hand stands for it.
            case inHand
            /// The ticket was taken back.
            case settled
        }

        let ticket: ParkingTicket
        var room: WaitingRoom
        var state: State
        /// The monotonic time at which the record's life is over, in nanoseconds, whatever the wall clock says.
        var expiresAt: Int64
        var offset: Int64 { self.ticket.offset }
    }

    /// The records in the order of their offsets. Settled ones stay until they are more than 64 and more than
    /// half of all.
    private var records: [Record] = []
    private var settledCount = 0
    /// By key: the number of records that are parked or on their way there, and the room of the one that was
    /// added last.
    private var keys: [KeyMark: (count: Int, room: WaitingRoom)] = [:]
    /// The history of each record that has one to keep, by offset.
    private var pasts: [Int64: Past] = [:]
    /// The number of parked records in each room. A room without parked records has no entry.
    private(set) var rooms: [WaitingRoom: Int] = [:]
    /// The offset that the current pass has reached, and the keys of which it has passed over a record.
    private var cursor: Int64 = 0
    private var passedKeys: Set<KeyMark> = []
    /// Whether a record waits for the earlier ones of its key. The key of a ticket says only which record it is for, where
    /// the worker keeps no order of keys.
    var keepsOrder = true

    init() {}

    /// Takes over the parked records of an earlier owner.
    ///
    /// - Parameters:
    ///   - tickets: The tickets that an earlier owner of the partition has written, in any order.
    ///   - end: Returns the monotonic time at which the life of a record with this timestamp is over.
    init(_ tickets: some Sequence<ParkingTicket>, end: (_ timestamp: Int64?) -> Int64 = { _ in .max }) {
        for ticket in tickets.sorted(by: { $0.offset < $1.offset }) {
            let end = end(ticket.timestamp)
            self.records.append(
                Record(ticket: ticket, room: ticket.room, state: .parked, expiresAt: end)
            )
            self.enter(ticket.key, ticket.room)
            self.rooms[ticket.room, default: 0] += 1
        }
    }

    /// The number of tickets that are not taken back.
    var count: Int { self.records.count - self.settledCount }
    var isEmpty: Bool { self.count == 0 }
    /// Whether a record before this offset is parked.
    func hasAny(before offset: Int64) -> Bool {
        self.records[..<self.index(of: offset)].contains { $0.state != .settled }
    }
    /// The oldest ticket that is not taken back.
    var first: ParkingTicket? { self.records.first { $0.state != .settled }?.ticket }

    /// The record at this offset; nil if it has no ticket, or its ticket was taken back.
    subscript(offset: Int64) -> Record? {
        let index = self.index(of: offset)
        guard index < self.records.count, self.records[index].offset == offset,
            self.records[index].state != .settled
        else { return nil }
        return self.records[index]
    }

    /// Returns what the last parked record of a key waits for; nil if no record of the key is parked.
    func room(of key: KeyMark) -> WaitingRoom? { self.keys[key]?.room }

    /// Returns the history of a parked record; nil if there is nothing in it.
    func past(of offset: Int64) -> Past? { self.pasts[offset] }

    // MARK: - Changes of state

    /// Notes that a ticket was sent.
    mutating func begin(_ ticket: ParkingTicket, _ past: Past) {
        let index = self.index(of: ticket.offset)
        let record = Record(
            ticket: ticket,
            room: ticket.room,
            state: .parking,
            expiresAt: past.expiresAt
        )
        if index < self.records.count, self.records[index].offset == ticket.offset {
            precondition(self.records[index].state == .settled, "\(ticket.offset) is parked twice")
            self.records[index] = record
            self.settledCount -= 1
        } else {
            self.records.insert(record, at: index)
        }
        self.enter(ticket.key, ticket.room)
        self.note(past, of: ticket.offset)
        self.passOver(ticket)
    }

    /// Notes that the broker has acknowledged the ticket.
    mutating func written(_ offset: Int64) {
        self.change(offset, from: .parking, to: .parked) { $0.rooms[$1.room, default: 0] += 1 }
    }

    /// Notes that the record was read again.
    mutating func takeInHand(_ offset: Int64) {
        self.change(offset, from: .parked, to: .inHand) { parked, record in
            parked.leave(record.ticket.key)
            parked.leave(record.room)
            parked.pasts[offset] = nil
        }
    }

    /// Notes that the record that was in hand waits again. Its ticket is still there.
    mutating func putBack(_ offset: Int64, in room: WaitingRoom, _ past: Past) {
        self.change(offset, from: .inHand, to: .parked) { parked, record in
            parked.enter(record.ticket.key, room)
            parked.rooms[room, default: 0] += 1
            parked.note(past, of: offset)
            parked.passOver(record.ticket)
        }
        let index = self.index(of: offset)
        self.records[index].room = room
        self.records[index].expiresAt = past.expiresAt
    }

    /// Notes that the ticket was taken back, or was never written.
    mutating func remove(_ offset: Int64) {
        let index = self.index(of: offset)
        guard index < self.records.count, self.records[index].offset == offset else { return }
        let record = self.records[index]
        switch record.state {
        case .settled: return
        case .inHand: break
        case .parking: self.leave(record.ticket.key)
        case .parked:
            self.leave(record.ticket.key)
            self.leave(record.room)
        }
        self.pasts[offset] = nil
        self.records[index].state = .settled
        self.settledCount += 1
        if self.settledCount > 64, self.settledCount > self.records.count / 2 {
            self.records.removeAll { $0.state == .settled }
            self.settledCount = 0
        }
    }

    /// Lets every parked record come back as soon as its room is open, whatever time it was to wait for.
    mutating func release() {
        for offset in self.pasts.keys { self.pasts[offset]?.due = .min }
        self.beginPass()
    }

    /// Lets the records that their publishers have delayed come back as soon as their room is open, and those behind them.
    /// The engine then looks at them again.
    mutating func releaseDelayed() {
        for (offset, past) in self.pasts where past.isDelayed || past.attempts == 0 {
            self.pasts[offset]?.due = .min
        }
        self.beginPass()
    }

    // MARK: - The pass

    /// Begins a new pass with the oldest record.
    mutating func beginPass() {
        self.cursor = 0
        self.passedKeys = []
    }

    /// Some records of a room that can be probes.
    struct Probes: Sendable {
        /// The records, in the order of their offsets.
        var offsets: [Int64] = []
        /// Whether calls for them have failed before.
        var haveFailed = false
    }

    /// Returns some records of a room that can be probes: each is the first parked record of its key, and its time has
    /// come. Records for which this worker has made no call go before others, and of these those that have failed least
    /// where others succeeded.
    ///
    /// The records are chosen at random, because records beside each other may all have the same fault.
    ///
    /// - Parameters:
    ///   - end: Only records before this offset are chosen.
    ///   - isFree: Whether no record of that key is in hand.
    func probes(
        in room: WaitingRoom,
        before end: Int64,
        at now: Int64,
        atMost count: Int,
        using random: inout SplitMix64,
        whereKey isFree: (KeyMark) -> Bool
    ) -> Probes {
        var chosen: [Int64] = []
        var (seen, least) = (0, Int.max)
        var keys: Set<KeyMark> = []
        for record in self.records.prefix(Self.probesLimit) where [.parking, .parked].contains(record.state) {
            guard record.offset < end else { break }
            let key = self.keepsOrder ? record.ticket.key : nil
            let isFirst = key.map { keys.insert($0).inserted && isFree($0) } ?? true
            guard isFirst, record.state == .parked, record.room == room,
                let failures = self.failures(of: record.offset, at: now), failures <= least
            else { continue }
            if failures < least {
                least = failures
                chosen = []
                seen = 0
            }
            seen += 1
            if chosen.count < count {
                chosen.append(record.offset)
            } else if case let place = Int.random(in: 0..<seen, using: &random), place < count {
                chosen[place] = record.offset
            }
        }
        return Probes(offsets: chosen.sorted(), haveFailed: !chosen.isEmpty && least >= 0)
    }

    /// Returns whether no earlier record of the same key is parked.
    func isFirstOfItsKey(_ offset: Int64) -> Bool {
        guard self.keepsOrder, let key = self[offset]?.ticket.key, let count = self.keys[key]?.count,
            count > 1
        else {
            return true
        }
        return !self.records[..<self.index(of: offset)].contains {
            $0.ticket.key == key && [.parking, .parked].contains($0.state)
        }
    }

    /// Returns how often calls for a record have failed where others succeeded; -1 if this worker has made none, and nil
    /// if its time has not come.
    private func failures(of offset: Int64, at now: Int64) -> Int? {
        guard let past = self.pasts[offset] else { return -1 }
        guard past.due <= now else { return nil }
        return past.attempts == 0 ? -1 : past.failuresAlone
    }

    /// The largest number of records that are searched for probes.
    private static var probesLimit: Int { 50_000 }

    /// Returns the next record that may be taken in hand, from the position of the pass on; nil if there is
    /// none.
    ///
    /// - Parameter mayCome: Called with each record that overtakes none of its key, and with its history.
    mutating func next(where mayCome: (Record, Past?) -> Bool) -> Record? {
        var index = self.index(of: self.cursor)
        while index < self.records.count {
            let record = self.records[index]
            self.cursor = record.offset
            switch record.state {
            case .settled, .inHand: break
            case .parking: self.passOver(record.ticket)
            case .parked:
                let isInOrder = record.ticket.key.map { !self.passedKeys.contains($0) } ?? true
                if isInOrder, mayCome(record, self.pasts[record.offset]) { return record }
                self.passOver(record.ticket)
            }
            index += 1
            self.cursor = record.offset + 1
        }
        return nil
    }

    /// Moves the pass behind a record and leaves the record where it is.
    mutating func pass(_ offset: Int64) {
        if let record = self[offset], record.state != .inHand { self.passOver(record.ticket) }
        self.cursor = max(self.cursor, offset + 1)
    }

    private mutating func passOver(_ ticket: ParkingTicket) {
        if self.keepsOrder, let key = ticket.key { self.passedKeys.insert(key) }
    }

    // MARK: - Counts

    private mutating func change(
        _ offset: Int64,
        from old: Record.State,
        to new: Record.State,
        _ note: (inout ParkedRecords, Record) -> Void
    ) {
        let index = self.index(of: offset)
        guard index < self.records.count, self.records[index].offset == offset,
            self.records[index].state == old
        else { return }
        self.records[index].state = new
        note(&self, self.records[index])
    }

    private mutating func enter(_ key: KeyMark?, _ room: WaitingRoom) {
        guard let key else { return }
        self.keys[key] = ((self.keys[key]?.count ?? 0) + 1, room)
    }

    private mutating func leave(_ key: KeyMark?) {
        guard let key, let entry = self.keys[key] else { return }
        self.keys[key] = entry.count > 1 ? (entry.count - 1, entry.room) : nil
    }

    private mutating func leave(_ room: WaitingRoom) {
        guard let count = self.rooms[room] else { return }
        self.rooms[room] = count > 1 ? count - 1 : nil
    }

    /// Keeps a history only if it says something: most records are parked before their first call.
    private mutating func note(_ past: Past, of offset: Int64) {
        self.pasts[offset] = past.attempts > 0 || past.due > .min ? past : nil
    }

    /// Returns the index of the first record at or after this offset.
    private func index(of offset: Int64) -> Int {
        var (low, high) = (0, self.records.count)
        while low < high {
            let middle = (low + high) / 2
            if self.records[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
