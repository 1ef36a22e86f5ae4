/// The records that the workers read again because an operator has moved the group's position back.
struct MovedRecords {
    private var moves: [GroupMove] = []
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

    /// The time of the first move before which the record at this place counted as finished; nil if there is none.
    func firstFinish(_ partition: Int32, _ offset: Int64) -> Int64? {
        self.moves.first { $0.parts[partition]?.countsAsFinished(offset) == true }?.at
    }
}
