/// The records that the workers read again because an operator has moved the group's position back.
struct MovedRecords {
    private var moves: [GroupMove] = []
    /// The time of the first ticket of each input that was ever parked, in wall-clock milliseconds.
    private var parkedAt: [Int: Int64] = [:]
    /// The inputs that counted as finished when the group was moved, and had their first outcome only after it, with the
    /// time of the move.
    private var rescued: [Int: Int64] = [:]
    /// The outcomes that came once more and were allowed to.
    private(set) var excused = 0

    /// The number of all records that are read again.
    var count: Int { self.moves.reduce(0) { $0 + $1.count } }

    mutating func add(_ move: GroupMove) { self.moves.append(move) }

    /// Whether the record at this place may have an outcome or a dead letter beside so many others: one more for each
    /// time that it is read again.
    func allows(_ partition: Int32, _ offset: Int64, afterOthers others: Int) -> Bool {
        others <= self.moves.count { $0.parts[partition]?.records.contains(offset) == true }
    }

    /// As `allows`, for an outcome, which is counted if it is allowed.
    mutating func excuse(_ partition: Int32, _ offset: Int64, afterOthers others: Int) -> Bool {
        guard self.allows(partition, offset, afterOthers: others) else { return false }
        self.excused += 1
        return true
    }

    /// The inputs that counted as finished before a move, and had neither an outcome nor a ticket then, in ascending order.
    /// The move hides that they were lost.
    var hidden: [Int] {
        self.rescued.filter { number, move in self.parkedAt[number].map { $0 > move } ?? true }.keys.sorted()
    }

    /// Notes the first outcome of an input, which the worker wrote at this time.
    mutating func foundFirstOutcome(
        of number: Int,
        at place: (partition: Int32, offset: Int64),
        written: Int64
    ) {
        let move = self.moves.first { $0.parts[place.partition]?.countsAsFinished(place.offset) == true }
        if let move, written > move.at { self.rescued[number] = move.at }
    }

    /// Notes a ticket of an input. Tickets come in the order of their topic.
    mutating func foundTicket(of number: Int, written: Int64) {
        if self.parkedAt[number] == nil { self.parkedAt[number] = written }
    }
}
