import Synchronization

/// How many records the engines of a process may still take in together.
package final class RecordQuota: Sendable {
    private let rest: Atomic<Int>

    package init(_ records: Int) { self.rest = Atomic(records) }

    /// - Returns: how many of so many may be read now. What is not read is to be given back.
    func reserve(atMost wanted: Int) -> Int {
        let before = self.rest.load(ordering: .relaxed)
        let granted = max(0, min(wanted, before))
        guard granted > 0 else { return 0 }
        let (done, _) = self.rest.compareExchange(
            expected: before,
            desired: before - granted,
            ordering: .relaxed
        )
        // Another thread was faster: this one asks again in its next turn.
        return done ? granted : 0
    }

    func giveBack(_ records: Int) { self.rest.wrappingAdd(records, ordering: .relaxed) }
}
