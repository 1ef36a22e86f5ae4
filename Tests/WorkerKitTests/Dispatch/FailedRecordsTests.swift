import ServiceKit
import Testing

@testable import WorkerKit

/// The order in which records whose calls have failed are called for again.
struct FailedRecordsTests {
    private var records = FailedRecords()
    private var random = SplitMix64(seed: 1)

    private mutating func pop(mayGo: (EntryID) -> Bool = { _ in true }) -> EntryID? {
        self.records.pop(using: &self.random, mayGo: mayGo)
    }

    /// Three turns of four are theirs, and no chance decides one of these.
    @Test mutating func whatHasFailedLeastGoesFirst() {
        let ids = (0..<6).map { EntryID(index: $0, generation: 0) }
        for (id, failures) in zip(ids, [3, 1, 0, 1, 0, 9]) { self.records.append(id, failures: failures) }
        #expect((0..<3).map { _ in self.pop() } == [ids[2], ids[4], ids[1]])
        #expect(self.records.count == 3)
    }

    /// Each of these fails each time, so the lines never change. The records of the last line get their turns too.
    @Test mutating func noRecordWaitsForEver() {
        let ids = (0..<40).map { EntryID(index: $0, generation: 0) }
        for (index, id) in ids.enumerated() { self.records.append(id, failures: index / 4) }
        var called: Set<EntryID> = []
        for _ in 0..<2_000 {
            guard let id = self.pop() else { break }
            called.insert(id)
            self.records.append(id, failures: id.index / 4)
        }
        #expect(called == Set(ids))
        #expect(self.records.count == 40)
    }

    @Test mutating func whatMayNotGoKeepsItsPlaceAndLetsOthersPass() {
        let ids = (0..<9).map { EntryID(index: $0, generation: 0) }
        for id in ids { self.records.append(id, failures: 2) }
        #expect(self.pop { $0 == ids[7] } == ids[7])
        #expect(Set(self.records.elements) == Set(ids).subtracting([ids[7]]))
        // At most eight are asked in one turn.
        self.records.append(ids[7], failures: 2)
        var asked = 0
        let none = self.pop { _ in
            asked += 1
            return false
        }
        #expect(none == nil)
        #expect(asked == 8)
        #expect(self.records.count == 9)
    }

    @Test mutating func whatIsNotWantedAnyMoreIsCountedNoMore() {
        let ids = (0..<6).map { EntryID(index: $0, generation: 0) }
        for id in ids { self.records.append(id, failures: id.index) }
        self.records.keep { $0.index.isMultiple(of: 2) }
        #expect(self.records.count == 3)
        #expect(self.records.elements == [ids[0], ids[2], ids[4]])
    }
}
