// A member that the group has replaced and that does not know it: it reads and writes on, and tries to
// commit.
extension SimulatedBroker {
    /// Removes the member from the group without telling it. Its partitions are given to other members.
    func depose() {
        self.isDeposed = true
        self.cluster.remove(self)
    }

    /// Tells the member that it was removed, as the answer to a heartbeat does.
    func learnThatItIsDeposed() {
        guard self.isDeposed, !self.isDead, !self.isLeaving else { return }
        if self.membership == .idle { self.rejoin() } else { self.askForPartitions(isLost: true) }
    }

    func rejoin() {
        self.isDeposed = false
        self.cluster.join(self)
    }
}
