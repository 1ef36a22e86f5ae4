import ActivationIntake
import Kafka
import Operations
import Records
import ServiceKit
import StreamKit

/// A random run of intakes with honest phones and an adversary who uploads and clicks beside them, drawn from one
/// seed.
///
/// The cluster works. Each honest upload must be settled in time, its events published once and its activation
/// reported once with its click, whatever others send and however often a worker dies.
package final class IntakeStorm: SeededStorm {
    /// The seed of all random decisions.
    package let seed: UInt64
    let plan: IntakePlan
    let timeline: Timeline
    let cluster: SimulatedCluster
    let honest: HonestPublisher
    let judge: IntakeJudge
    let topics: IntakeTopics
    var random: SplitMix64
    /// The workers that were started and not killed.
    private(set) var workers: [StreamWorker] = []
    private(set) var isCalm = false
    /// The number of faults that were injected.
    package internal(set) var faults = 0
    /// The number of records that were published.
    package private(set) var records = 0
    private let streams: StreamTopics
    private let settings: IntakeSettings
    private var started: UInt64 = 0
    var complaints: [String] = []

    /// Plans a run with any of the kinds that intakes can meet. One seed always gives the same run.
    package convenience init(seed: UInt64, narrator: Narrator? = nil) {
        self.init(seed: seed, kinds: Set(AdversaryKind.ofIntake), narrator: narrator)
    }

    /// Plans a run with some kinds of harm only.
    ///
    /// - Parameter kinds: the kinds that the seed may choose from.
    package init(seed: UInt64, kinds: Set<AdversaryKind>, narrator: Narrator? = nil) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 7_919 &+ 11)
        let plan = IntakePlan(of: kinds, using: &random)
        narrator?.tell("seed \(seed)", "\(plan)")
        self.plan = plan
        self.random = random
        self.timeline = Timeline(narrator)
        self.cluster = SimulatedCluster(
            clock: self.timeline.clock,
            partitions: plan.setup.partitions,
            retryTopics: []
        )
        self.cluster.narrator = narrator
        self.cluster.messageLimit = plan.setup.messageLimit
        do {
            self.settings = try plan.settings()
        } catch {
            preconditionFailure("the settings of a simulated intake are wrong: \(error)")
        }
        self.topics = self.settings.topics
        let consumed = [
            self.topics.home, self.topics.activations, self.topics.uploads, self.topics.clicks,
        ]
        self.streams = StreamTopics(
            Set(self.topics.names),
            consumed: consumed,
            in: self.cluster
        )
        self.cluster.streams = self.streams
        self.honest = HonestPublisher(self.cluster, self.timeline)
        self.judge = IntakeJudge(
            self.cluster,
            self.streams,
            settings: self.settings,
            honest: self.honest.judge,
            plan: plan
        )
    }

    deinit { self.cluster.end() }

    /// The seconds that have passed on the simulated clock.
    package var seconds: Double { self.timeline.seconds }

    /// A hash of everything that was published. Two runs with different hashes differ.
    package var fingerprint: UInt64 { self.cluster.visible.fingerprint }

    /// Runs to the end, or until a promise is broken.
    ///
    /// - Returns: a description of each broken promise; empty if there is none.
    package func run() -> [String] {
        self.judged(self.play)
    }

    private func play() throws {
        self.setBrokerTroubles()
        self.streams.markerDelay = { [unowned self] in
            self.milliseconds(1...Int(self.plan.markerDelay.wholeMilliseconds))
        }
        self.planPhones()
        self.planPublishers()
        self.planFaults()
        for _ in 0..<self.plan.workers { self.startAnother() }
        try self.watch(for: self.plan.length + HonestJudge.bound + .seconds(20))
        self.isCalm = true
        let isOver = try self.watch(for: .seconds(600)) {
            self.judge.isEverythingSettled && self.cluster.isEverythingCommitted
        }
        if !isOver { self.complaints.append("not settled in 600 s: \(self.judge.unsettled.prefix(5))") }
        try self.watch(for: .seconds(20))
        guard self.cluster.violations.isEmpty else { return }
        if self.honest.judge.waiting > 0 {
            self.complaints.append(
                "\(self.honest.judge.waiting) things about honest phones have not happened"
            )
        }
        try self.stopEverybody(within: .seconds(60))
    }

    func advance(_ longest: Duration, until isDone: () -> Bool) throws -> Bool {
        try self.timeline.run(for: longest, in: self.cluster) {
            self.workers
        } died: {
            self.kill($0)
        } until: {
            isDone()
        }
    }

    // MARK: - Workers

    func startAnother() {
        self.started += 1
        let count = self.plan.setup.partitions
        let known = StreamCluster(
            id: "simulated",
            partitionCounts: Dictionary(uniqueKeysWithValues: self.topics.names.map { ($0, count) })
        )
        let worker = StreamWorker(
            self.streams,
            in: self.cluster,
            setup: self.plan.setup,
            number: self.started
        ) {
            [unowned self] in
            SimulatedMemory.Fate(delay: self.milliseconds(1...50))
        } application: { _ in
            IntakeApplication(
                self.settings,
                known,
                metrics: IntakeMetrics(factory: PrometheusRegistry())
            )
        }
        self.workers.append(worker)
    }

    func kill(_ worker: StreamWorker) {
        self.workers.removeAll { $0 === worker }
        worker.broker.kill()
        self.timeline.narrator?.tell(worker.name, "is killed")
        self.cluster.remove(worker.broker)
    }

    // MARK: - Records

    /// Publishes a record to a partition of a topic, drawn at random.
    ///
    /// - Returns: its place.
    @discardableResult
    func publish(
        to topic: String,
        _ value: [UInt8]?,
        key: [UInt8]? = nil,
        headers: [RecordHeader] = [],
        timestamp: Int64? = nil
    ) -> String {
        let partition = Int32.random(in: 0..<Int32(self.plan.setup.partitions), using: &self.random)
        let place = TopicPartition(topic: topic, partition: partition)
        let record = InboundRecord(
            topic: topic,
            partition: partition,
            offset: self.cluster.logs[place]?.end ?? 0,
            timestamp: timestamp ?? self.timeline.clock.now.wall,
            key: key,
            value: value,
            headers: headers
        )
        self.cluster.append(record)
        self.records += 1
        return record.place
    }

    /// Publishes an upload, whose end the judge then waits for.
    @discardableResult
    func publish(_ upload: SimulatedUpload, timestamp: Int64? = nil) -> String {
        let place = self.publish(
            to: self.topics.uploads,
            upload.body,
            headers: upload.recordHeaders,
            timestamp: timestamp
        )
        self.judge.expect(upload.code ?? "", at: place)
        if upload.code == nil { self.judge.expectActivation(of: place) }
        return place
    }

    /// Publishes a click, of which the judge expects this code; nil for a click that can be read, which has no
    /// outcome.
    func publish(click query: String, code: String? = nil, timestamp: Int64? = nil) {
        self.publish(click: Array(query.utf8), code: code, timestamp: timestamp)
    }

    func publish(click query: [UInt8]?, code: String? = nil, timestamp: Int64? = nil) {
        guard self.plan.matchesClicks else { return }
        let place = self.publish(to: self.topics.clicks, query, timestamp: timestamp)
        if let code { self.judge.expect(code, at: place) }
    }

    /// Publishes an activation as a publisher does. The judge waits until it is passed on, refused, or a dead letter.
    func publish(activation value: [UInt8]?, key: [UInt8]? = nil, headers: [RecordHeader] = []) {
        let place = self.publish(to: self.topics.activations, value, key: key, headers: headers)
        self.judge.expectActivation(of: place, byPublisher: true)
    }
}
