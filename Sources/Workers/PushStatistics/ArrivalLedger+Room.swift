import ServiceKit
import WireFormats

// The ledger makes room when the states take more memory than they may.
extension ArrivalLedger {
    /// The most messages that one call of `collect` forgets, so that its transaction stays small.
    private static let forgottenLimit = 10_000

    /// Forgets what devices alone have told, until so many bytes are free.
    ///
    /// A device can invent everything that it reports, so the memory that this takes can always be had back; what
    /// is left takes as much as senders make it take. First go the messages without a `sent` event: those of the
    /// fewest devices, and of these the oldest. Each is settled as at its end and its part is published. If it is
    /// heard of again, it begins a new term, whose counts are added to those of the term before. After the messages
    /// go the devices without a `sent` event of their own, those of the largest messages first.
    ///
    /// A message that began at `now` stays: if it began again in this millisecond, it would have the same term.
    func makeRoom(
        bytes: Int,
        now: Int64,
        _ part: (CohortSnapshot) -> Void,
        _ forgotten: (CohortKey) -> Void
    ) {
        let before = self.folded.byteCount
        let folded = self.folded.takeOld(bytes: bytes, atMost: Self.forgottenLimit) {
            $0.hasNoSender && $0.term != now
        }
        for snapshot in folded { self.forget(self.unfolded(snapshot), part, forgotten) }
        var freed = before - self.folded.byteCount
        let left = Self.forgottenLimit - folded.count
        guard freed < bytes, left > 0 else { return }
        let objects = self.cohorts.values.filter { $0.hasNoSender && $0.term != now }
            .sorted { ($0.deviceCount, $0.term) < ($1.deviceCount, $1.term) }
        for cohort in objects.prefix(left) where freed < bytes {
            freed += cohort.byteCount
            self.forget(cohort, part, forgotten)
        }
        // The queue holds the objects until their parts would have been due.
        if self.due.count > 2 * self.cohorts.count { self.due.keep { $0.tellAt != nil } }
        guard freed < bytes, objects.count <= left else { return }
        self.limit.forgetRefused()
        for cohort in self.cohorts.values.sorted(by: { $0.deviceCount > $1.deviceCount })
        where freed < bytes && !cohort.hasNoSender {
            freed += cohort.forgetUnsentDevices()
            self.foldIfIdle(cohort)
        }
    }

    /// Settles a message as at its end, and forgets it.
    private func forget(
        _ cohort: Cohort,
        _ part: (CohortSnapshot) -> Void,
        _ forgotten: (CohortKey) -> Void
    ) {
        // The parts of restored cohorts may not have been published.
        if !cohort.isClosed || cohort.tellAt != nil || self.toldBuckets != nil {
            if !cohort.isClosed { cohort.close() }
            part(cohort.snapshot())
        }
        cohort.tellAt = nil
        self.cohorts[cohort.key] = nil
        forgotten(cohort.key)
    }
}
