/// The records that wait for one held lane, and which of them is its next probe.
struct HeldRecords: Sendable {
    /// Those that have never asked for a hold. They go first, and not all from one end: any of them may show that the lane
    /// is well, and those that came together may all have the same fault.
    private var innocent = PickedQueue()
    /// Those that have. Whoever asks again goes to the end, so that no two probes in a row are the same record's
    /// while another waits.
    private var suspect = Fifo<EntryID>()

    var count: Int { self.innocent.count + self.suspect.count }
    var isEmpty: Bool { self.count == 0 }

    mutating func append(_ id: EntryID, isSuspect: Bool) {
        if isSuspect { self.suspect.append(id) } else { self.innocent.append(id) }
    }

    /// Takes the next probe out.
    mutating func popProbe(using random: inout SplitMix64) -> EntryID? {
        self.innocent.pop(isInDoubt: true, using: &random) ?? self.suspect.popFirst()
    }

    /// Takes out whoever came first, those that never asked for a hold before the others.
    mutating func popFirst() -> EntryID? {
        self.innocent.popFirst() ?? self.suspect.popFirst()
    }

    var elements: [EntryID] { self.innocent.elements + self.suspect.elements }

    /// Leaves out what is not wanted any more, and keeps the order of the rest.
    mutating func keep(where isWanted: (EntryID) -> Bool) {
        self.innocent.keep(where: isWanted)
        self.suspect.keep(where: isWanted)
    }
}
