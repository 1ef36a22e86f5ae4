import Harness
import Operations
import ServiceKit
import UpstreamHTTP
import UpstreamSimulator

// The faults of processes, upstream and broker: how each begins and ends.
extension FaultDriver {
    // MARK: - Faults

    /// Starts a fault.
    func begin(_ fault: ChaosFault) throws {
        let length = fault.length.shown
        switch fault.deed {
        case .kill(let worker):
            self.tell("kill -9 worker \(worker + 1), for \(length)")
            for target in self.targets { self.planKill(target.crew.slot(at: worker), of: target) }
        case .killAll:
            self.tell("kill -9 every worker, for \(length)")
            for target in self.targets {
                for slot in target.crew.slots { self.planKill(slot, of: target) }
            }
        case .pause(let worker):
            self.tell("SIGSTOP worker \(worker + 1), for \(length)")
            self.tally.pauses += 1
            for target in self.targets { target.crew.slot(at: worker)?.pause() }
        case .scaleDown(let worker):
            self.tell("SIGTERM worker \(worker + 1), for \(length)")
            self.tally.scaledDown += 1
            for target in self.targets { target.crew.slot(at: worker)?.dismiss() }
        case .scaleUp(let worker):
            self.tell("one more, worker \(worker + 1), for \(length)\(Self.queue(fault))")
            self.tally.scaledUp += 1
            try self.targets.first?.crew.start(worker, queueLimit: fault.queueLimit)
        case .upstream(let trouble):
            self.tell("\(self.upstreamName) \(trouble.rawValue), for \(length)")
            self.tally.upstreamFaults += 1
            self.control.set(trouble.faults(for: fault.length))
        case .sandbox(let trouble):
            self.tell("the store's sandbox \(trouble.rawValue), for \(length)")
            self.sandboxControl?.set(trouble.faults(for: fault.length))
        case .broker(let trouble):
            self.tell("\(trouble.rawValue), for \(length)")
            self.tally.brokerFaults += 1
            self.cluster.tellBroker(trouble.order(for: fault.length))
        case .lateAccount: self.tell("GDT does not know one of the accounts, for \(length)")
        case .growth(let partitions): try self.beginGrowth(to: partitions)
        case .moveBack: try self.beginMove(fault)
        }
    }

    /// Ends a fault, or starts what follows it.
    func end(_ fault: ChaosFault) throws {
        switch fault.deed {
        // A process that has not ended yet is replaced as soon as it has.
        case .kill(let worker), .scaleDown(let worker): self.restart([worker], fault)
        case .killAll: self.restart(Array(0..<(self.targets.map(\.crew.size).max() ?? 0)), fault)
        case .pause(let worker):
            self.tell("SIGCONT worker \(worker + 1)")
            for target in self.targets { target.crew.slot(at: worker)?.resume() }
        case .scaleUp(let worker):
            self.tell("SIGTERM worker \(worker + 1)")
            self.targets.first?.crew.slot(at: worker)?.dismiss()
        case .upstream(let trouble):
            self.tell("over: \(self.upstreamName) \(trouble.rawValue)")
            self.control.set(Faults())
        // Both faults of the sandbox end by themselves. A reset here would also end the fault that starts at
        // the same time.
        case .sandbox(let trouble): self.tell("over: the store's sandbox \(trouble.rawValue)")
        case .broker(let trouble):
            guard trouble != .cutsConnections, trouble != .movesCoordinators else { return }
            self.tell("over: \(trouble.rawValue)")
            self.cluster.tellBroker(BrokerOrder(faults: BrokerOrder.Faults()))
        case .lateAccount:
            self.tell("GDT gets to know the account")
            if let lateAccount { self.control.add(lateAccount) }
        case .growth: break
        case .moveBack: self.endMove()
        }
    }

    static func queue(_ fault: ChaosFault) -> String {
        fault.queueLimit.map { ", its producer's queue holds \($0)" } ?? ""
    }

    /// Schedules the restart of these workers.
    func restart(_ workers: [Int], _ fault: ChaosFault) {
        for crew in self.targets.map(\.crew) {
            self.restarts += workers.filter { $0 < crew.size }.map { (crew, $0, fault) }
        }
    }

    // MARK: - Kills

    /// Schedules a kill. The worker's metrics are read first, so that its partitions are known: they are
    /// without a worker from then on.
    func planKill(_ slot: WorkerSlot?, of target: Target) {
        guard let slot, slot.state == .working else { return }
        let question = slot.metricsRequest.map { self.harness.ask($0) }
        let latest = ContinuousClock.now + Self.lastQuestion
        self.kills.append(PlannedKill(slot: slot, target: target, question: question, latest: latest))
    }

    /// Kills the workers that have answered the request for their metrics, or have not done so in time.
    func killWhoIsDue() {
        self.kills.removeAll { plan in
            let answer = plan.question.flatMap { self.harness.takeAnswer($0) }
            guard answer != nil || plan.question == nil || .now >= plan.latest else { return false }
            plan.slot.kill()
            self.tally.kills += 1
            var partitions: Set<Int32> = []
            if case .success(let response) = answer {
                partitions = Self.partitions(MetricsPage(response.body))
            }
            plan.target.watch?.takeovers.killed(at: Moment.now.wall, with: partitions, plan.slot.name)
            return true
        }
    }

    private static func partitions(_ page: MetricsPage) -> Set<Int32> {
        Set(page.values(of: "partition", in: "worker_partition_next_offset").compactMap { Int32($0) })
    }
}
