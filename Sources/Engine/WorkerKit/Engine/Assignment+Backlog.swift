import Kafka
import ServiceKit

extension Assignment {
    /// The number of records of this partition that are neither settled nor parked: those in hand, and those
    /// that have not been taken up.
    ///
    /// Records finish out of order, so the lag of the group (`end - committed`) also counts records that are
    /// settled. This number does not. An offset without a record counts until it is passed.
    ///
    /// - Parameter bounds: The bounds of the partition's log.
    func backlog(in bounds: LogBounds) -> Int64 {
        guard let progress = self.progress else {
            let first = self.committed.offset ?? bounds.start ?? 0
            return Int64(self.inHand) + max(0, bounds.end - first)
        }
        let untaken = max(0, bounds.end - progress.next) - Int64(progress.finishedAheadCount)
        return Int64(self.inHand) + max(0, untaken)
    }

    /// Whether a part of the backlog has not been read, as far as the bounds of the log are known.
    var isBehind: Bool {
        self.source.logBounds.map { self.backlog(in: $0) > Int64(self.inHand) } ?? false
    }
}
