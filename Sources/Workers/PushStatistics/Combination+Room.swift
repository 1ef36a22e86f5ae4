import ServiceKit
import WireFormats

// The combination makes room when the states take more memory than they may.
extension Combination {
    /// The most messages that one call of `collect` forgets, so that its transaction stays small.
    private static let forgottenLimit = 10_000

    /// Forgets messages that no sender has told of, until so many bytes are free: those of the fewest devices, and of
    /// these the oldest.
    ///
    /// Devices may have invented each of them, so the memory that they take can always be had back. Their statistics
    /// are published before. If a part of one changes later, its statistics go on with what is told from then on.
    func makeRoom(
        bytes: Int,
        now: Int64,
        _ tell: (CohortKey, PushStatisticsRecord) -> Void,
        _ forgotten: (CohortSnapshot) -> Void
    ) {
        let before = self.folded.byteCount
        let folded = self.folded.takeOld(bytes: bytes, atMost: Self.forgottenLimit) { $0.hasNoSender }
        for part in folded {
            // The statistics of restored messages may not have been published.
            if self.toldBuckets != nil, !part.isClosed {
                tell(part.key, Self.statistics(of: part.key, self.message(of: part), updated: now))
            }
            forgotten(part)
        }
        var freed = before - self.folded.byteCount
        let left = Self.forgottenLimit - folded.count
        guard freed < bytes, left > 0 else { return }
        let objects = self.messages.filter { $0.value.hasNoSender }
            .map { (key: $0.key, message: $0.value, devices: $0.value.leastDevices, since: $0.value.since) }
            .sorted { ($0.devices, $0.since) < ($1.devices, $1.since) }
        for (key, message, _, _) in objects.prefix(left) where freed < bytes {
            freed += message.byteCount
            if message.isDue, message.toldVersion != message.version {
                tell(key, Self.statistics(of: key, message, updated: now))
            }
            message.parts.values.forEach(forgotten)
            self.messages[key] = nil
        }
        // The queue holds the keys until the statistics would have been due.
        if self.due.count > 2 * self.messages.count { self.due.keep { self.messages[$0]?.isDue == true } }
    }
}
