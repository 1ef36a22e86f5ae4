import UpstreamHTTP
import UpstreamSimulator
import WorkerKit

// What is done to processes, upstream and broker, and when it is over.
extension ChaosRun {
    // MARK: - Faults

    func begin(_ fault: ChaosFault) throws {
        let length = Self.text(fault.length)
        switch fault.deed {
        case .kill(let worker):
            self.tell("kill -9 worker \(worker + 1), for \(length)")
            for track in self.tracks { self.planKill(track.post(at: worker), of: track) }
        case .killAll:
            self.tell("kill -9 every worker, for \(length)")
            for track in self.tracks {
                for post in track.crew.posts { self.planKill(post, of: track) }
            }
        case .pause(let worker):
            self.tell("SIGSTOP worker \(worker + 1), for \(length)")
            self.tally.pauses += 1
            for track in self.tracks { track.post(at: worker)?.pause() }
        case .scaleDown(let worker):
            self.tell("SIGTERM worker \(worker + 1), for \(length)")
            self.tally.scaledDown += 1
            for track in self.tracks { track.post(at: worker)?.dismiss() }
        case .scaleUp(let worker):
            self.tell("one more, worker \(worker + 1), for \(length)\(Self.queue(fault))")
            self.tally.scaledUp += 1
            try self.cast.activations.start(worker, queueLimit: fault.queueLimit)
        case .upstream(let trouble):
            self.tell("GDT \(trouble.rawValue), for \(length)")
            self.tally.upstreamFaults += 1
            self.desk.set(trouble.faults(for: fault.length))
        case .sandbox(let trouble):
            self.tell("the store's sandbox \(trouble.rawValue), for \(length)")
            self.sandboxDesk?.set(trouble.faults(for: fault.length))
        case .broker(let trouble):
            self.tell("\(trouble.rawValue), for \(length)")
            self.tally.brokerFaults += 1
            self.cast.tellBroker(trouble.order(for: fault.length))
        }
    }

    func end(_ fault: ChaosFault) throws {
        switch fault.deed {
        // Who is not gone yet begins its next life when it is.
        case .kill(let worker), .scaleDown(let worker): self.restart([worker], fault)
        case .killAll: self.restart(Array(0..<self.cast.options.workers), fault)
        case .pause(let worker):
            self.tell("SIGCONT worker \(worker + 1)")
            for track in self.tracks { track.post(at: worker)?.resume() }
        case .scaleUp(let worker):
            self.tell("SIGTERM worker \(worker + 1)")
            self.activations.post(at: worker)?.dismiss()
        case .upstream(let trouble):
            self.tell("over: GDT \(trouble.rawValue)")
            self.desk.set(Faults())
        // It ends by itself; switches that are set while the next begins would end that too.
        case .sandbox(let trouble): self.tell("over: the store's sandbox \(trouble.rawValue)")
        case .broker(let trouble):
            guard trouble != .cutsConnections, trouble != .movesCoordinators else { return }
            self.tell("over: \(trouble.rawValue)")
            self.cast.tellBroker(BrokerOrder(faults: BrokerOrder.Faults()))
        }
    }

    static func queue(_ fault: ChaosFault) -> String {
        fault.queueLimit.map { ", its producer's queue holds \($0)" } ?? ""
    }

    private func restart(_ workers: [Int], _ fault: ChaosFault) {
        for crew in self.cast.crews {
            self.restarts += workers.filter { $0 < crew.size }.map { (crew, $0, fault) }
        }
    }

    // MARK: - Kills

    /// Asks the victim what it has, so that it is known whose work waits from then on.
    private func planKill(_ post: WorkerPost?, of track: ChaosTrack) {
        guard let post, post.state == .working else { return }
        let question = post.metricsRequest.map { self.stage.ask($0) }
        let latest = ContinuousClock.now + Self.lastQuestion
        self.kills.append(PlannedKill(post: post, track: track, question: question, latest: latest))
    }

    func killWhoIsDue() {
        self.kills.removeAll { plan in
            let answer = plan.question.flatMap { self.stage.takeAnswer($0) }
            guard answer != nil || plan.question == nil || .now >= plan.latest else { return false }
            plan.post.kill()
            var partitions: Set<Int32> = []
            if case .success(let response) = answer {
                partitions = Self.partitions(MetricsPage(response.body))
            }
            plan.track.watch.takeovers.killed(at: Moment.now.wall, with: partitions, plan.post.name)
            return true
        }
    }

    private static func partitions(_ page: MetricsPage) -> Set<Int32> {
        Set(page.values(of: "partition", in: "worker_partition_next_offset").compactMap { Int32($0) })
    }
}
