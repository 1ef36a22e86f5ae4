import ServiceKit

/// A random run with honest publishers and an adversary, for engines of any kind.
///
/// This part injects the faults of the group, of its workers and of their clocks, and tells the judge of
/// honest records which of them excuse a late record.
protocol Adversary: Weather {
    var honest: HonestPublisher { get }
    /// The kinds of harm in this run.
    var kinds: Set<AdversaryKind> { get }
    /// The longest time in which a rebalance keeps all workers from settling records.
    var rebalance: Duration { get }
    /// The time from the death of a worker until the group has replaced it.
    var takeover: Duration { get }
    /// The time without any worker before the group's position is changed. No transaction of an earlier
    /// worker is open after it.
    var absence: Duration { get }

    /// Kills a worker's process between two of its turns.
    func kill(_ worker: Process)
    /// Starts another worker.
    func startAnother()
    /// Schedules the harm of one kind, if it is a fault of the group, of its workers, or of the log.
    func planFault(_ kind: AdversaryKind)
    /// Schedules an outage.
    func planOutage()
    /// Called when the group's position in a partition was changed.
    ///
    /// - Parameter offset: the position before the change.
    func groupMoved(from offset: Int64, in partition: Int32)
}

extension Adversary {
    /// Lets time pass until a condition holds or a promise is broken. Once a second, the judges look for honest
    /// records that are late, and for workers that stand still in silence.
    @discardableResult
    func watch(for length: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        var nextLook = self.timeline.clock.now.after(.seconds(1))
        return try self.pass(length) {
            let now = self.timeline.clock.now
            guard now.monotonic >= nextLook else { return false }
            nextLook = now.after(.seconds(1))
            self.honest.look()
            for worker in self.workers { worker.judgeSilence() }
            return isDone()
        }
    }

    func planFaults() {
        // The kinds are taken in the order of their declaration, because the order of a set differs from run
        // to run.
        for kind in AdversaryKind.allCases where self.kinds.contains(kind) { self.planFault(kind) }
    }

    func planFault(_ kind: AdversaryKind) { self.planUsualFault(kind) }

    /// Schedules the harm of one kind that engines of all kinds are tried with.
    func planUsualFault(_ kind: AdversaryKind) {
        switch kind {
        case .offsets: self.harmWhileNoWorkerRuns { [unowned self] in self.moveTheGroup() }
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

    /// Excuses the honest records from now on for this long, because no worker can settle them.
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

    /// Freezes a worker. If that lasts longer than its session, the group treats the worker as dead. The records that
    /// pile up meanwhile take as long again.
    private func planFreeze() {
        let length = Duration.seconds(Int.random(in: 1...25, using: &self.random))
        self.faultOfSomebody { [unowned self] worker in
            self.excuse(length * 2 + self.takeover)
            worker.freeze(for: length)
            guard length > .seconds(10) else { return }
            self.timeline.after(.seconds(10)) { [unowned self] in
                if self.workers.contains(where: { $0 === worker }) { self.cluster.expel(worker.broker) }
            }
        }
    }

    // MARK: - Harm while nobody works

    func harmWhileNoWorkerRuns(_ harm: @escaping () -> Void) {
        self.fault { [unowned self] in self.whileNoWorkerRuns(harm) }
    }

    /// Kills all workers, and does something harmful before another worker starts.
    private func whileNoWorkerRuns(_ harm: @escaping () -> Void) {
        self.excuse(self.absence + self.takeover)
        for worker in self.workers { self.kill(worker) }
        self.timeline.after(self.absence) { [unowned self] in
            // A worker may have been started meanwhile, and its transaction may still be open. No position
            // can be changed then.
            guard self.workers.isEmpty else { return self.whileNoWorkerRuns(harm) }
            harm()
            self.startAnother()
        }
    }

    /// Changes the group's position in one partition.
    private func moveTheGroup() {
        let partition = Int32.random(in: 0..<Int32(self.cluster.partitions), using: &self.random)
        let other = Int32.random(in: 0..<Int32(self.cluster.partitions), using: &self.random)
        let end = self.cluster.end(of: partition)
        let committed = self.cluster.committedOffset(partition) ?? 0
        var offset = Int64.random(in: 0...committed, using: &self.random)
        if self.chance(0.3) { offset = .random(in: committed...max(committed, end), using: &self.random) }
        var text: String?
        if other != partition {
            // The operator stores the commit of another partition here, with the offset that the other
            // partition has.
            offset = min(end, self.cluster.committedOffset(other) ?? 0)
            text = self.cluster.committedText(other)
        }
        self.timeline.narrator?.tell("operator", "moves \(partition) from \(committed) to \(offset)")
        self.cluster.moveGroup(in: partition, to: offset, metadata: text)
        self.honest.judge.forgetRecords { self.cluster.skipped.contains($0) }
        self.groupMoved(from: committed, in: partition)
    }

    // MARK: - Floods

    func count(of sizes: [Int]) -> Int {
        let size = sizes.randomElement(using: &self.random) ?? 1
        return .random(in: (size + 1) / 2...size, using: &self.random)
    }

    /// Publishes several records, all at once or at an even pace until the faults end.
    ///
    /// - Parameter publish: publishes the next record, under a key or without one.
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
