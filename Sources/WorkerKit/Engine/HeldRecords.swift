/// The records that wait for one held lane, in the order in which they are let go to be its probes.
struct HeldRecords: Sendable {
    /// Those that have never asked for a hold. They go first: any of them may show that the lane is well.
    private var innocent = Fifo<EntryID>()
    /// Those that have. Whoever asks again goes to the end, so that no two probes in a row are the same record's
    /// while another waits.
    private var suspect = Fifo<EntryID>()

    var count: Int { self.innocent.count + self.suspect.count }
    var isEmpty: Bool { self.count == 0 }

    mutating func append(_ id: EntryID, isSuspect: Bool) {
        if isSuspect { self.suspect.append(id) } else { self.innocent.append(id) }
    }

    mutating func popFirst() -> EntryID? { self.innocent.popFirst() ?? self.suspect.popFirst() }

    /// Leaves out what is not wanted any more, and keeps the order of the rest.
    mutating func keep(where isWanted: (EntryID) -> Bool) {
        self.innocent.keep(where: isWanted)
        self.suspect.keep(where: isWanted)
    }
}
