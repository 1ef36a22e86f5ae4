/// The records that the workers read again because an operator has moved the group's position back.
struct MovedRecords {
    private var ranges: [Int32: [Range<Int64>]] = [:]
    /// The outcomes that came once more and were allowed to.
    private(set) var excused = 0

    /// The number of all records that are read again.
    var count: Int { self.ranges.values.joined().reduce(0) { $0 + $1.count } }

    mutating func add(_ records: [Int32: Range<Int64>]) {
        for (partition, range) in records { self.ranges[partition, default: []].append(range) }
    }

    /// Whether the record at this place may have an outcome or a dead letter beside so many others: one more for each
    /// time that it is read again.
    func allows(_ partition: Int32, _ offset: Int64, afterOthers others: Int) -> Bool {
        let ranges = self.ranges[partition] ?? []
        return others <= ranges.count { $0.contains(offset) }
    }

    /// As `allows`, for an outcome, which is counted if it is allowed.
    mutating func excuse(_ partition: Int32, _ offset: Int64, afterOthers others: Int) -> Bool {
        guard self.allows(partition, offset, afterOthers: others) else { return false }
        self.excused += 1
        return true
    }
}
