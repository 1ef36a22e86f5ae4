/// A fetch that found too little to read, and that waits until there is more or its time is up.
///
/// The fetch is registered at its partitions, which own it while it waits.
final class WaitingFetch {
    private var timer: Timer?
    private var partitions: [Partition] = []
    private var look: (() -> Bool)?

    /// - Parameters:
    ///   - look: checks the partitions again; returns true if there was enough to read and the fetch has been
    ///     answered.
    ///   - timeIsUp: answers the fetch with the records that are there.
    init(
        on partitions: [Partition],
        atMost longest: Duration,
        _ timers: Timers,
        look: @escaping () -> Bool,
        timeIsUp: @escaping () -> Void
    ) {
        self.partitions = partitions
        self.look = look
        for partition in partitions { partition.add(self) }
        self.timer = timers.after(longest) {
            self.end()
            timeIsUp()
        }
    }

    /// Checks again whether there is enough to read, and ends the wait if so.
    func lookAgain() { if self.look?() == true { self.end() } }

    private func end() {
        self.timer?.cancel()
        self.timer = nil
        self.look = nil
        for partition in self.partitions { partition.remove(self) }
        self.partitions = []
    }
}
