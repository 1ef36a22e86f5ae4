import WorkerKit

/// A storm of honest publishers and of somebody who does harm, whatever the engine: what happens to the group, its
/// workers and their clocks, and what of it excuses a late record.
protocol Adversary: Weather {
    var honest: HonestPublisher { get }
    /// What the adversary does in this storm.
    var kinds: Set<AdversaryKind> { get }
    /// What a rebalance may take from everybody.
    var rebalance: Duration { get }
    /// What the group waits for after the death of a worker.
    var takeover: Duration { get }
    /// How long nobody is there before the group is moved: nothing of theirs is open any more.
    var absence: Duration { get }

    func kill(_ worker: Process)
    func startAnother()
    func planOutage()
    /// The group stood there in a partition, and has been moved.
    func groupMoved(from offset: Int64, in partition: Int32)
}

extension Adversary {
    func planFaults() {
        // In the order of their declaration: that of a set differs from run to run.
        for kind in AdversaryKind.allCases where self.kinds.contains(kind) { self.planFault(kind) }
    }

    private func planFault(_ kind: AdversaryKind) {
        switch kind {
        case .offsets: self.fault { [unowned self] in self.moveTheGroup() }
        case .growth:
            self.fault { [unowned self] in
                self.excuse(self.rebalance)
                self.cluster.grow()
            }
        case .clocks: self.planClocks()
        case .kills:
            for _ in 0..<Int.random(in: 1...2, using: &self.random) {
                self.faultOfSomebody { [unowned self] in
                    self.excuse(self.takeover)
                    self.kill($0)
                    self.startAnother()
                }
            }
        case .freezes: self.planFreeze()
        case .outages: self.planOutage()
        default: break
        }
    }

    /// From now on and for so long, nobody can settle an honest record.
    func excuse(_ length: Duration) {
        self.honest.judge.excuse(from: self.timeline.clock.now.monotonic, for: length)
    }

    private func planClocks() {
        for _ in 0..<Int.random(in: 1...2, using: &self.random) {
            let step = Int.random(in: 60...14_400, using: &self.random) * (self.chance(0.5) ? 1 : -1)
            let comesBack = self.chance(0.5)
            self.faultOfSomebody { [unowned self] worker in
                worker.stepWall(by: .seconds(step))
                guard comesBack else { return }
                self.timeline.after(.seconds(20)) { worker.stepWall(by: .seconds(-step)) }
            }
        }
    }

    /// A worker stands still, and if that lasts longer than its session, the group takes it for dead.
    private func planFreeze() {
        let length = Duration.seconds(Int.random(in: 1...25, using: &self.random))
        self.faultOfSomebody { [unowned self] worker in
            self.excuse(length + self.takeover)
            worker.freeze(for: length)
            guard length > .seconds(10) else { return }
            self.timeline.after(.seconds(10)) { [unowned self] in
                if self.workers.contains(where: { $0 === worker }) { self.cluster.expel(worker.broker) }
            }
        }
    }

    // MARK: - Offsets

    /// All workers stop, and somebody moves the group in one partition before another starts.
    private func moveTheGroup() {
        self.excuse(self.absence + self.takeover)
        for worker in self.workers { self.kill(worker) }
        self.timeline.after(self.absence) { [unowned self] in
            // Somebody may have been started meanwhile, and what it has open is not over yet: no group can be moved then.
            guard self.workers.isEmpty else { return self.moveTheGroup() }
            self.moveOnePartition()
            self.startAnother()
        }
    }

    private func moveOnePartition() {
        let partition = Int32.random(in: 0..<Int32(self.cluster.partitions), using: &self.random)
        let other = Int32.random(in: 0..<Int32(self.cluster.partitions), using: &self.random)
        let end = self.cluster.end(of: partition)
        let committed = self.cluster.committedOffset(partition) ?? 0
        var offset = Int64.random(in: 0...committed, using: &self.random)
        if self.chance(0.3) { offset = .random(in: committed...max(committed, end), using: &self.random) }
        var text: String?
        if other != partition {
            // A commit of another partition, which stands where that one did.
            offset = min(end, self.cluster.committedOffset(other) ?? 0)
            text = self.cluster.committedText(other)
        }
        self.timeline.narrator?.tell("operator", "moves \(partition) from \(committed) to \(offset)")
        self.cluster.moveGroup(in: partition, to: offset, metadata: text)
        self.honest.judge.recordsSkipped { self.cluster.skipped.contains($0) }
        self.groupMoved(from: committed, in: partition)
    }

    // MARK: - Floods

    func count(of sizes: [Int]) -> Int {
        let size = sizes.randomElement(using: &self.random) ?? 1
        return .random(in: (size + 1) / 2...size, using: &self.random)
    }

    /// Has somebody publish so many records, all at once, or as steadily as the honest.
    ///
    /// - Parameter publish: publishes the next one, under a key.
    func flood(_ count: Int, isSteady: Bool? = nil, _ publish: @escaping (String?) -> Void) {
        self.faults += 1
        let number = self.faults
        let keys = [1, 3, count].randomElement(using: &self.random) ?? 1
        let hasKeys = self.chance(0.8)
        let start = Double.random(in: 0...0.5, using: &self.random)
        let isSteady = isSteady ?? self.chance(0.4)
        for index in 0..<count {
            let share = isSteady ? start + (1 - start) * Double(index) / Double(count) : start
            let key = hasKeys ? "adversary \(number) \(index % keys)" : nil
            self.timeline.after(self.calmAfter * share) { publish(key) }
        }
    }
}
