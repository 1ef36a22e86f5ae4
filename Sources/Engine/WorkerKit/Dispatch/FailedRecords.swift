import ServiceKit

/// The records whose calls have failed before, and the choice of the next one.
///
/// A record that has failed more often where others succeed is more likely to be at fault itself. So the records
/// that have failed least go first, in the order of their arrival. Each fourth time another record goes, so that
/// each is settled at some time.
struct FailedRecords: Sendable {
    /// The records by how often they have failed while calls for others succeeded. The last line has all that
    /// have failed so often or more.
    private var lines = [Fifo<EntryID>](repeating: Fifo(), count: 5)
    private var turn = 0
    private(set) var count = 0

    /// The number of records that have not failed where others succeeded.
    var soundCount: Int { self.lines[0].count }
    var isEmpty: Bool { self.count == 0 }

    /// - Parameter failures: How often calls for the record have failed while others succeeded.
    mutating func append(_ id: EntryID, failures: Int) {
        self.lines[min(failures, self.lines.count - 1)].append(id)
        self.count += 1
    }

    /// Removes and returns the next record that may go; nil if none of the eight that are asked may. All of them
    /// may be outliers that have to wait.
    ///
    /// - Parameter mayGo: Whether a call may be made now for this record.
    mutating func pop(using random: inout SplitMix64, mayGo: (EntryID) -> Bool) -> EntryID? {
        guard !self.isEmpty else { return nil }
        self.turn &+= 1
        let first = self.turn % 4 == 0 ? Int.random(in: 0..<self.lines.count, using: &random) : 0
        var asked = 0
        for step in self.lines.indices {
            let line = (first + step) % self.lines.count
            for _ in 0..<min(self.lines[line].count, 8 - asked) {
                guard let id = self.lines[line].popFirst() else { break }
                if mayGo(id) {
                    self.count -= 1
                    return id
                }
                self.lines[line].append(id)
                asked += 1
            }
        }
        return nil
    }

    var elements: [EntryID] { self.lines.flatMap(\.elements) }

    /// Removes the records that are not wanted any more, and keeps the order of the rest.
    mutating func keep(where isWanted: (EntryID) -> Bool) {
        for line in self.lines.indices { self.lines[line].keep(where: isWanted) }
        self.count = self.lines.reduce(0) { $0 + $1.count }
    }
}
