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

    /// Whether the log holds offsets that have not been read, as far as its bounds are known.
    var isBehind: Bool {
        guard let bounds = self.source.logBounds else { return false }
        return bounds.end > max(self.readEnd, self.committed.offset ?? bounds.start ?? 0)
    }
}
