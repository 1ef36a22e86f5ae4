import Synchronization

/// The number of records that the engines of a process may still take in together.
package final class RecordQuota: Sendable {
    private let rest: Atomic<Int>

    /// Makes a quota of so many records.
    package init(_ records: Int) { self.rest = Atomic(records) }

    /// Reserves records that are read next. Reserved records that were not read are given back.
    ///
    /// - Returns: The number of records that may be read now; 0 to the number that is wanted.
    func reserve(atMost wanted: Int) -> Int {
        let before = self.rest.load(ordering: .relaxed)
        let granted = max(0, min(wanted, before))
        guard granted > 0 else { return 0 }
        let (done, _) = self.rest.compareExchange(
            expected: before,
            desired: before - granted,
            ordering: .relaxed
        )
        // If another thread was faster, this one asks again in its next turn.
        return done ? granted : 0
    }

    /// Gives reserved records back that were not read.
    func giveBack(_ records: Int) { self.rest.wrappingAdd(records, ordering: .relaxed) }
}
