/// A fetch that found too little, and waits for more or for its time to be up.
final class WaitingFetch {
    private var timer: Timer?
    private var partitions: [Partition] = []
    private var look: (() -> Bool)?

    /// - Parameters:
    ///   - look: looks at the partitions again; true if there was enough, and it has been answered.
    ///   - timeIsUp: answers with what there is.
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

    func lookAgain() { if self.look?() == true { self.end() } }

    private func end() {
        self.timer?.cancel()
        self.timer = nil
        self.look = nil
        for partition in self.partitions { partition.remove(self) }
        self.partitions = []
    }
}
