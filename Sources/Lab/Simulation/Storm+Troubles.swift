import Kafka
import Records
import ServiceKit
import UpstreamHTTP
import WorkerKit

// Faults that happen throughout the run. Every answer of the upstream is drawn at random.
extension Storm {
    func setTroubles() {
        self.simulation.reply = { [unowned self] in self.reply(to: $0) }
        self.setBrokerTroubles()
    }

    private func reply(to call: SimulatedUpstream.Call) -> SimulatedUpstream.Reply {
        let latency = self.latency(of: call)
        if self.down.contains(call.endpoint) { return self.failure(after: latency) }
        if self.fails(self.plan.flakiness) {
            return self.chance(0.3)
                ? SimulatedUpstream.Reply(
                    429,
                    after: latency,
                    retryAfter: .random(in: 1...8, using: &self.random)
                ) : self.failure(after: latency)
        }
        return self.honestReply(to: call, after: latency)
    }

    private func latency(of call: SimulatedUpstream.Call) -> Duration {
        let latency = self.milliseconds(self.chance(0.05) ? 500...4_000 : 1...80)
        guard let burst = self.plan.burst?.wholeNanoseconds else { return latency }
        let rest = (call.at + latency.wholeNanoseconds) % burst
        return latency + .nanoseconds(rest == 0 ? 0 : burst - rest)
    }

    /// Returns one of the ways in which an upstream can fail to answer.
    private func failure(after latency: Duration) -> SimulatedUpstream.Reply {
        self.faults += 1
        switch Int.random(in: 0..<5, using: &self.random) {
        case 0: return .timeout(after: latency)
        case 1: return .failure(.cut, mayHaveBeenSent: true, after: latency)
        case 2: return .failure(.connect, mayHaveBeenSent: false, after: latency)
        case 3: return SimulatedUpstream.Reply(200, after: latency, body: "<html>captive portal</html>")
        default: return SimulatedUpstream.Reply(self.chance(0.5) ? 500 : 503, after: latency)
        }
    }

    private func honestReply(to call: SimulatedUpstream.Call, after latency: Duration)
        -> SimulatedUpstream.Reply
    {
        typealias Reply = SimulatedUpstream.Reply
        if let subject = self.subject { return subject.reply(call, latency) }
        let name = call.name
        self.troubles[name, default: 0] += 1
        let isEarly = self.troubles[name, default: 0] <= 2
        switch call.value {
        case "poison" where !self.isCured: return Reply(500, after: latency)
        case "late": return isEarly ? Reply(409, after: latency, retryAfter: 1) : Reply(200, after: latency)
        case "much later":
            return isEarly ? Reply(409, after: latency, retryAfter: 90) : Reply(200, after: latency)
        case "twice": return Reply(call.isFollowUp ? 200 : 300, after: latency)
        case "elsewhere": return Reply(call.isFollowUp ? 200 : 303, after: latency)
        case "missing": return Reply(404, after: latency)
        case "wrong": return Reply(422, after: latency)
        case "suspect" where !self.isCured: return Reply(403, after: latency)
        case "held": return isEarly ? Reply(401, after: latency) : Reply(200, after: latency)
        case "all held": return isEarly ? Reply(402, after: latency) : Reply(200, after: latency)
        default: return Reply(200, after: latency)
        }
    }

    // MARK: scheduled records and faults

    private static let kinds =
        [String](repeating: "ok", count: 14)
        + [
            "poison", "late", "much later", "twice", "elsewhere", "missing", "wrong", "suspect", "held",
            "all held",
            "known",
            "refused", "undecodable",
        ]

    func planRecords() {
        if let subject = self.subject { return self.planRecords(of: subject) }
        let cluster = self.simulation.cluster
        for _ in 0..<Int.random(in: 10...80, using: &self.random) {
            let value = Self.kinds.randomElement(using: &self.random) ?? "ok"
            let key = self.chance(0.8) ? "k\(Int.random(in: 0..<6, using: &self.random))" : nil
            let partition = Int32.random(in: 0..<Int32(self.plan.partitions), using: &self.random)
            let lane = self.chance(0.7) ? "a" : "b"
            let isForTheSide = self.chance(0.25)
            let isJoined = self.plan.batches != nil && self.chance(0.7)
            let gap = self.gap()
            let bulk = self.plan.bytesLimit == nil ? 0 : Int.random(in: 0...2_000, using: &self.random)
            self.schedule(within: 0.8) {
                var headers = [RecordHeader("lane", lane)]
                if isForTheSide { headers.append(RecordHeader("side", "")) }
                if isJoined { headers.append(RecordHeader(SimulatedBatch.header, "")) }
                if bulk > 0 { headers.append(RecordHeader("bulk", [UInt8](repeating: 0, count: bulk))) }
                cluster.append(value, key: key, to: partition, headers: headers, skipping: gap)
            }
        }
    }

    private func planRecords(of subject: StormSubject) {
        let cluster = self.simulation.cluster
        for _ in 0..<Int.random(in: 10...80, using: &self.random) {
            guard let sample = subject.samples.randomElement(using: &self.random) else { return }
            let partition = Int32.random(in: 0..<Int32(self.plan.partitions), using: &self.random)
            let gap = self.gap()
            self.schedule(within: 0.8) { [unowned self] in
                let offset = cluster.append(
                    InboundRecord(
                        topic: SimulatedCluster.topic,
                        partition: partition,
                        offset: cluster.end(of: partition) + gap,
                        timestamp: self.simulation.clock.now.wall,
                        key: sample.key,
                        value: sample.value,
                        headers: sample.headers
                    )
                )
                self.ends[RecordName(partition: partition, offset: offset)] = sample.ends
            }
        }
    }

    /// Returns the number of offsets to leave without a record before the next one. A plan with gaps has some
    /// of about the size of a commit window.
    private func gap() -> Int64 {
        if self.plan.hasGaps, self.chance(0.05) { return .random(in: 15_000...20_000, using: &self.random) }
        return self.chance(0.1) ? .random(in: 1...20, using: &self.random) : 0
    }

    func planFault() {
        let simulation = self.simulation
        switch Int.random(in: 0..<10, using: &self.random) {
        case 0: self.fault { simulation.cluster.rebalance() }
        case 1: self.faultOfSomebody { simulation.cluster.expel($0.broker) }
        case 2:
            self.faultOfSomebody {
                simulation.kill($0)
                simulation.startWorker()
            }
        // The process dies in the middle of a turn, between two of its requests.
        case 3, 4:
            let requests = Int.random(in: 0...40, using: &self.random)
            self.faultOfSomebody {
                $0.broker.die(after: requests)
                simulation.startWorker()
            }
        case 5:
            let step = Duration.seconds(Int.random(in: -600...600, using: &self.random))
            self.fault { simulation.clock.stepWall(by: step) }
        case 6: self.fault { simulation.startWorker() }
        case 7:
            self.faultOfSomebody {
                $0.stop()
                simulation.startWorker()
            }
        case 8: self.planFreeze()
        default:
            let length = Duration.seconds(Int.random(in: 1...60, using: &self.random))
            let sufferers: Set<SimulatedHandler.Endpoint> =
                switch Int.random(in: 0..<3, using: &self.random) {
                case 0: [.main]
                case 1: [.side]
                default: [.main, .side]
                }
            self.fault { [unowned self] in
                self.down.formUnion(sufferers)
                simulation.after(length) { self.down.subtract(sufferers) }
            }
        }
    }

    /// Freezes a process. If that lasts longer than its session, the group gives its partitions to other
    /// members, and the process learns of it only when it wakes up, in the middle of its turn.
    private func planFreeze() {
        let length = Duration.seconds(Int.random(in: 1...40, using: &self.random))
        let simulation = self.simulation
        self.faultOfSomebody { worker in
            worker.freeze(for: length)
            guard length > .seconds(10) else { return }
            simulation.after(.seconds(10)) {
                if simulation.workers.contains(where: { $0 === worker }) {
                    simulation.cluster.expel(worker.broker)
                }
            }
        }
    }
}
