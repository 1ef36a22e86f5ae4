import CoreMetrics
import Kafka
import Logging
import Records
import WireFormats

@testable import WorkerKit

/// One worker process: an engine, its client of the cluster and its upstream. It can be killed.
final class SimulatedWorker {
    let broker: SimulatedBroker
    let upstream: SimulatedUpstream
    let engine: Engine<SimulatedBroker, SimulatedUpstream>
    let log: RecordedLog
    /// When the engine's thread wakes up if nothing arrives.
    var wakesAt: Int64 = .min
    private(set) var hasEnded = false
    /// Turns in a row that asked for another one at once, at one instant.
    private var restlessTurns = 0
    private var lastTurn: Int64 = .min

    init(_ cluster: SimulatedCluster, _ upstream: SimulatedUpstream, _ settings: EngineSettings, seed: UInt64)
    {
        self.broker = SimulatedBroker(cluster)
        self.upstream = upstream
        let log = RecordedLog()
        self.log = log
        self.engine = Engine(
            settings: settings,
            facts: ClusterFacts(clusterID: "simulated", resultPartitions: 4, deadLetterPartitions: 1),
            handler: ErasedHandler(SimulatedHandler()),
            broker: self.broker,
            upstream: upstream,
            metrics: EngineMetrics(factory: NOOPMetricsHandler.instance, upstream: "simulated"),
            logger: Logger(label: "simulation") { _ in RecordedLog.Handler(log: log) },
            seed: seed
        )
        let settings = self.engine.settings
        self.broker.partitionsGivenUp = { [unowned upstream] in upstream.orphanEverything() }
        upstream.judge = { [unowned self, unowned cluster] call in
            self.judge(call, of: cluster, ordering: settings.ordering)
        }
        cluster.join(self.broker)
    }

    /// What has to hold whenever a call begins.
    private func judge(
        _ call: SimulatedUpstream.Call,
        of cluster: SimulatedCluster,
        ordering: EngineSettings.Ordering
    ) {
        let partition = TopicPartition(topic: SimulatedCluster.topic, partition: call.partition)
        if !self.broker.owned.contains(partition) { cluster.violations.append("\(call) is not ours to make") }
        if self.broker.hasToldOfRevocation, !call.isFollowUp {
            cluster.violations.append("\(call) begins after the group asked for its partition")
        }
        if self.upstream.inFlight.count >= self.engine.settings.concurrency {
            cluster.violations.append("\(call) is one too many at once")
        }
        guard ordering == .partition || ordering == .key && call.key != nil else { return }
        let mates: (Int32, String?) -> Bool =
            switch ordering {
            case .none: { _, _ in false }
            case .partition: { other, _ in other == call.partition }
            case .key: { other, key in other == call.partition && key == call.key }
            }
        if self.upstream.awaited.contains(where: { mates($0.partition, $0.key) }) {
            cluster.violations.append("\(call) overtakes a call of its own order")
        }
        let log = cluster.logs[Int(call.partition)]
        for record in log.records[..<log.index(of: call.offset)] {
            let key = record.key.map { String(decoding: $0, as: UTF8.self) }
            if mates(record.partition, key), cluster.outcome(record.offset, in: record.partition) == nil {
                cluster.violations.append("\(call) overtakes \(record.offset)")
            }
        }
    }

    /// When this worker has something to do.
    var nextDue: Int64 {
        let arrivals = [
            self.broker.nextDue, self.upstream.nextDeadline.map { self.upstream.clock.now.after($0) },
        ]
        return min(self.wakesAt, arrivals.compactMap { $0 }.min() ?? .max)
    }

    func turn() throws {
        let now = self.upstream.clock.now
        switch try self.engine.turn(at: now) {
        case .never: self.hasEnded = true
        case .after(let sleep):
            self.wakesAt = now.after(sleep)
            self.restlessTurns = sleep == .zero && now.monotonic == self.lastTurn ? self.restlessTurns + 1 : 0
            self.lastTurn = now.monotonic
            if self.restlessTurns > 2_000 { throw Restless() }
        }
        self.checkBooks()
    }

    /// The engine keeps turning and gets nowhere.
    struct Restless: Error {}

    /// What is counted in two places has to agree, after every turn.
    private func checkBooks() {
        let engine = self.engine
        var states: [Entry.State: Int] = [:]
        for id in engine.table.ids { states[engine.table[id].state, default: 0] += 1 }
        let books: [(String, Int, Int)] = [
            ("calls", engine.callsInFlight, states[.calling] ?? 0),
            ("all calls", engine.callsInFlight + engine.orphanedCalls, self.upstream.inFlight.count),
            ("settling", engine.settlingCount, (states[.settling] ?? 0) + (states[.resending] ?? 0)),
            ("ready", engine.ready.count, states[.ready] ?? 0),
            ("backing off", engine.backingOff.count, states[.backingOff] ?? 0),
            ("held", engine.held.values.reduce(0) { $0 + $1.count }, states[.held] ?? 0),
            ("in hand", engine.assignments.reduce(0) { $0 + $1.inHand }, engine.table.count),
        ]
        // What is given up on the way out is forgotten partition by partition, later.
        guard engine.phase != .leaving, engine.phase != .left else { return }
        for (name, left, right) in books where left != right {
            self.broker.cluster.violations.append("\(name): \(left) is not \(right) in \(engine.phase)")
        }
    }

    /// Whether nothing of any record is left behind.
    var isEmpty: Bool {
        let engine = self.engine
        return engine.table.count == 0 && engine.table.bytes == 0 && engine.settlingCount == 0
            && engine.callsInFlight == 0 && engine.tails.isEmpty && engine.held.isEmpty
            && engine.ready.isEmpty
            && engine.backingOff.count == 0 && engine.resending.count == 0 && engine.followUps.isEmpty
    }
}
