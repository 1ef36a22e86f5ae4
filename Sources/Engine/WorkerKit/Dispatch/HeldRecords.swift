import ServiceKit

/// The records that wait for one held lane, and the choice of its next probe.
struct HeldRecords: Sendable {
    /// The records that have never asked for a hold. They are the first probes, and not all from one end of
    /// the queue: any of them may show that the lane is well, and records that arrived together may all have
    /// the same fault.
    private var innocent = PickedQueue()
    /// The records that have asked for a hold. A record that asks again goes to the end, so that two probes
    /// in a row are of different records as long as there are several.
    private var suspect = Fifo<EntryID>()

    var count: Int { self.innocent.count + self.suspect.count }
    var isEmpty: Bool { self.count == 0 }

    mutating func append(_ id: EntryID, isSuspect: Bool) {
        if isSuspect { self.suspect.append(id) } else { self.innocent.append(id) }
    }

    /// Removes and returns the record that is the next probe.
    mutating func popProbe(using random: inout SplitMix64) -> EntryID? {
        self.innocent.pop(isInDoubt: true, using: &random) ?? self.suspect.popFirst()
    }

    /// Removes and returns the oldest record; records that never asked for a hold come before the others.
    mutating func popFirst() -> EntryID? {
        self.innocent.popFirst() ?? self.suspect.popFirst()
    }

    var elements: [EntryID] { self.innocent.elements + self.suspect.elements }

    /// Removes the records that are not wanted any more, and keeps the order of the rest.
    mutating func keep(where isWanted: (EntryID) -> Bool) {
        self.innocent.keep(where: isWanted)
        self.suspect.keep(where: isWanted)
    }
}
