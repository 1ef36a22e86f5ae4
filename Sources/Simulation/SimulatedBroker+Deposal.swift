// A member that the group has taken for dead and that does not know it: it reads on, writes on, and means to commit.
extension SimulatedBroker {
    /// Its partitions are for the others from now on.
    func depose() {
        self.isDeposed = true
        self.cluster.remove(self)
    }

    /// A heartbeat has been answered at last.
    func learnThatItIsDeposed() {
        guard self.isDeposed, !self.isDead, !self.isLeaving else { return }
        if self.membership == .idle { self.rejoin() } else { self.askForPartitions(isLost: true) }
    }

    func rejoin() {
        self.isDeposed = false
        self.cluster.join(self)
    }
}
