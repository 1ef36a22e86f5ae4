/// The parked records of one partition, in the order of their offsets.
///
/// Order per key is kept by two rules, which whoever uses this follows: a record whose key has a record that is parked is
/// parked too (`room(of:)`), and records are taken in hand again by `next`, which passes over every record that comes
/// after a parked one of its key. So all records of a key in hand come before all those that are parked.
struct ParkedRecords: Sendable {
    /// What a record has been through before it was parked, as far as this worker knows.
    struct Past: Sendable {
        var attempts = 0
        var countedFailures = 0
        var ambiguousAttempts = 0
        var receivedAt: Int64
        var firstFailedAt: Int64?
        /// The code and the text of why its last call failed.
        var lastReason: (code: String, message: String)?
        /// Not to be called for before this monotonic time.
        var due = Int64.min
    }

    struct Record: Sendable {
        enum State: Sendable {
            /// The ticket is on its way.
            case parking
            case parked
            /// Read again: a record in hand stands for it.
            case inHand
            case settled
        }

        let ticket: ParkingTicket
        var room: WaitingRoom
        var state: State
        var offset: Int64 { self.ticket.offset }
    }

    /// Settled ones stay until there are many of them.
    private var records: [Record] = []
    private var settledCount = 0
    private var keys: [KeyMark: (count: Int, room: WaitingRoom)] = [:]
    private var pasts: [Int64: Past] = [:]
    /// How many are parked for each room. Rooms without any are not there.
    private(set) var rooms: [WaitingRoom: Int] = [:]
    /// Where the current pass is, and the keys of which it has passed over a record.
    private var cursor: Int64 = 0
    private var passedKeys: Set<KeyMark> = []

    init() {}

    /// - Parameter tickets: those that an earlier owner of the partition has written, in any order.
    init(_ tickets: some Sequence<ParkingTicket>) {
        for ticket in tickets.sorted(by: { $0.offset < $1.offset }) {
            self.records.append(Record(ticket: ticket, room: ticket.room, state: .parked))
            self.enter(ticket.key, ticket.room)
            self.rooms[ticket.room, default: 0] += 1
        }
    }

    /// Tickets that are not taken back.
    var count: Int { self.records.count - self.settledCount }
    var isEmpty: Bool { self.count == 0 }
    /// Those that no record in hand stands for.
    var parkedCount: Int { self.rooms.values.reduce(0, +) }
    /// The oldest ticket that is not taken back.
    var first: ParkingTicket? { self.records.first { $0.state != .settled }?.ticket }

    subscript(offset: Int64) -> Record? {
        let index = self.index(of: offset)
        guard index < self.records.count, self.records[index].offset == offset,
            self.records[index].state != .settled
        else { return nil }
        return self.records[index]
    }

    /// What the last parked record of a key waits for; nil if none of it is parked.
    func room(of key: KeyMark) -> WaitingRoom? { self.keys[key]?.room }

    func past(of offset: Int64) -> Past? { self.pasts[offset] }

    // MARK: - Moves

    /// A ticket is on its way.
    mutating func begin(_ ticket: ParkingTicket, _ past: Past) {
        let index = self.index(of: ticket.offset)
        let record = Record(ticket: ticket, room: ticket.room, state: .parking)
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

    /// The broker has the ticket.
    mutating func written(_ offset: Int64) {
        self.change(offset, from: .parking, to: .parked) { $0.rooms[$1.room, default: 0] += 1 }
    }

    /// The record has been read again.
    mutating func takeInHand(_ offset: Int64) {
        self.change(offset, from: .parked, to: .inHand) { parked, record in
            parked.leave(record.ticket.key)
            parked.leave(record.room)
            parked.pasts[offset] = nil
        }
    }

    /// The record that was in hand waits again. Its ticket is still there.
    mutating func putBack(_ offset: Int64, in room: WaitingRoom, _ past: Past) {
        self.change(offset, from: .inHand, to: .parked) { parked, record in
            parked.enter(record.ticket.key, room)
            parked.rooms[room, default: 0] += 1
            parked.note(past, of: offset)
            parked.passOver(record.ticket)
        }
        let index = self.index(of: offset)
        self.records[index].room = room
    }

    /// The ticket is taken back, or was never written.
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

    // MARK: - The pass

    /// Begins again with the oldest.
    mutating func beginPass() {
        self.cursor = 0
        self.passedKeys = []
    }

    /// Some records of a room that this worker has not called for yet, each the first that is parked of its key, in the
    /// order of their offsets. Any of them, because those beside each other may all have the same fault.
    ///
    /// - Parameter isFree: whether no record of that key is in hand.
    func fresh(
        in room: WaitingRoom,
        before end: Int64,
        at now: Int64,
        atMost count: Int,
        using random: inout SplitMix64,
        whereKey isFree: (KeyMark) -> Bool
    ) -> [Int64] {
        var chosen: [Int64] = []
        var seen = 0
        var keys: Set<KeyMark> = []
        for record in self.records.prefix(Self.probesLimit) where [.parking, .parked].contains(record.state) {
            guard record.offset < end else { break }
            let isFirst = record.ticket.key.map { keys.insert($0).inserted && isFree($0) } ?? true
            guard isFirst, record.state == .parked, record.room == room, self.isFresh(record.offset, at: now)
            else { continue }
            seen += 1
            if chosen.count < count {
                chosen.append(record.offset)
            } else if case let place = Int.random(in: 0..<seen, using: &random), place < count {
                chosen[place] = record.offset
            }
        }
        return chosen.sorted()
    }

    /// Whether no earlier record of its key is parked.
    func isFirstOfItsKey(_ offset: Int64) -> Bool {
        guard let key = self[offset]?.ticket.key, let count = self.keys[key]?.count, count > 1 else {
            return true
        }
        return !self.records[..<self.index(of: offset)].contains {
            $0.ticket.key == key && [.parking, .parked].contains($0.state)
        }
    }

    private func isFresh(_ offset: Int64, at now: Int64) -> Bool {
        self.pasts[offset].map { $0.attempts == 0 && $0.due <= now } ?? true
    }

    /// Records that are looked through for probes, at most.
    private static var probesLimit: Int { 50_000 }

    /// The next record that may be taken in hand, and is not before where the pass is.
    ///
    /// - Parameters:
    ///   - now: monotonic.
    ///   - mayCome: asked about a record that overtakes none, and whether its own wait is over.
    mutating func next(at now: Int64, where mayCome: (Record, _ isDue: Bool) -> Bool) -> Record? {
        var index = self.index(of: self.cursor)
        while index < self.records.count {
            let record = self.records[index]
            self.cursor = record.offset
            switch record.state {
            case .settled, .inHand: break
            case .parking: self.passOver(record.ticket)
            case .parked:
                let isInOrder = record.ticket.key.map { !self.passedKeys.contains($0) } ?? true
                let isDue = self.pasts[record.offset].map { $0.due <= now } ?? true
                if isInOrder, mayCome(record, isDue) { return record }
                self.passOver(record.ticket)
            }
            index += 1
            self.cursor = record.offset + 1
        }
        return nil
    }

    /// The pass has come by this record, and leaves it where it is.
    mutating func pass(_ offset: Int64) {
        if let record = self[offset], record.state != .inHand { self.passOver(record.ticket) }
        self.cursor = max(self.cursor, offset + 1)
    }

    private mutating func passOver(_ ticket: ParkingTicket) {
        if let key = ticket.key { self.passedKeys.insert(key) }
    }

    // MARK: - Books

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

    /// A past that says nothing is not kept: most records are parked before their first call.
    private mutating func note(_ past: Past, of offset: Int64) {
        self.pasts[offset] = past.attempts > 0 || past.due > .min ? past : nil
    }

    /// Where the records from this offset on begin.
    private func index(of offset: Int64) -> Int {
        var (low, high) = (0, self.records.count)
        while low < high {
            let middle = (low + high) / 2
            if self.records[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
