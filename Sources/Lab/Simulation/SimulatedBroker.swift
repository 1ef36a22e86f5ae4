package import Kafka
package import ServiceKit
import WorkerKit

/// One member of the simulated group together with its producer, as one worker process sees the cluster.
///
/// It delays and loses requests and answers as the cluster's fates say, and lets several judges check what
/// the engine asks for.
package final class SimulatedBroker: Broker {
    /// The member's state in its group.
    package enum Membership: Hashable {
        /// The member has no partitions.
        case idle
        /// The group has assigned partitions and waits for `assign`.
        case given
        /// The member has accepted its partitions.
        case assigned
        /// The group has revoked the partitions and waits for `unassign`.
        case asked
    }

    let cluster: SimulatedCluster
    /// The number of the worker, which stands for the `transactional.id` of its producer.
    let number: Int
    private var events = DueQueue<BrokerEvent>()
    var sources: [SimulatedSource] = []
    /// The member's state in its group.
    package internal(set) var membership = Membership.idle
    /// The partitions that this member may regard as its own, as far as it has been told.
    var owned: Set<TopicPartition> = []
    var generation = 0
    /// Whether the group has already given the partitions to other members.
    var hasLost = false
    /// Whether the group has gone on without this member, which does not know it yet.
    var isDeposed = false
    /// Whether the group has revoked the partitions before the member accepted them.
    var isAskedBack = false
    var isLeaving = false
    /// Whether the member has left the group.
    package internal(set) var hasLeft = false
    /// Whether the member gets no more answers: its connection is open, and the other side does not answer.
    package var isMute = false
    /// Whether the process is dead. Its requests have no effect from then on.
    package private(set) var isDead = false
    /// The number of further requests after which the process dies; nil if it does not.
    private var requestsToLive: Int?
    /// Whether the engine has been told that its partitions are revoked.
    private(set) var hasToldOfRevocation = false
    /// Called when the member gives up its partitions. Calls for their records then belong to no worker.
    package var partitionsGivenUp: () -> Void = {}
    /// Returns the bytes that the worker's calls take up.
    var callBytes: () -> Int = { 0 }

    /// The records of this assignment whose outcomes were acknowledged, even if only in a transaction that
    /// readers do not see yet.
    var acknowledged: Set<RecordName> = []

    var epoch: Int?
    /// Whether the producer is fenced and cannot be used any more.
    var isFenced = false
    /// The time at which the last request takes effect. A later request never takes effect earlier.
    private var lastEffect: Int64 = .min
    /// The time at which the last answer arrives. A later answer never arrives earlier.
    private var lastAnswer: Int64 = .min
    /// Counts aborts and new producers. Reports of an earlier era are dropped.
    var era = 0

    var judges: WorkerJudges
    /// The number of requests that the process has made, to the broker and to its upstream.
    var requests = 0
    /// The number of records that the process has read, and of the outcomes, copies and commits of
    /// transactions that readers can see. Every repetition counts again.
    var progress = 0
    /// The number of committed transactions with positions.
    var committedTransactions = 0
    /// Whether something has arrived since the last turn of the process.
    var hasNews = false
    /// Whether the engine has sent something in this turn that it may have found in its regular sweep over
    /// all records in hand. Such work has no exact time.
    var hasSwept = false
    /// Whether the process has asked to commit or to abort and has no answer yet. It must not send anything
    /// meanwhile: librdkafka refuses it (`ERR__STATE`), and it would be unclear to which transaction the
    /// record belongs.
    var isEndingTransaction = false

    init(_ cluster: SimulatedCluster, number: Int, _ settings: EngineSettings, sideRate: RateLimit.Settings?)
    {
        self.cluster = cluster
        self.number = number
        self.judges = WorkerJudges(settings, sideRate: sideRate)
    }

    var now: Int64 { self.cluster.clock.now.monotonic }

    /// The time at which there is an event to pass on, in monotonic nanoseconds.
    var nextDue: Int64? { self.isMute || self.isDead ? nil : self.events.nextDue }

    func tell(_ event: BrokerEvent, after delay: Duration = .zero) {
        self.events.add(event, due: self.now + delay.wholeNanoseconds)
    }

    /// Schedules an effect at the broker, after those of all requests that were sent before.
    func send(after delay: Duration, _ effect: @escaping () -> Void) {
        self.lastEffect = max(self.lastEffect, self.now + delay.wholeNanoseconds)
        self.cluster.network.add(effect, due: self.lastEffect)
    }

    /// Schedules an answer, after those to all requests that were sent before.
    func answer(after delay: Duration, _ event: @escaping () -> BrokerEvent?) {
        self.lastAnswer = max(self.lastAnswer, self.lastEffect, self.now + delay.wholeNanoseconds)
        self.cluster.network.add({ [self] in event().map { self.tell($0) } }, due: self.lastAnswer)
    }

    /// Whether the member has partitions with records that it may read and has not read. A copy in a retry
    /// topic may not be read before it is due.
    var hasUnread: Bool { self.membership == .assigned && self.sources.contains { $0.hasUnreadThatIsDue } }

    /// Whether the member has partitions that are not committed up to their end, or none while the group has such
    /// partitions.
    var hasLag: Bool {
        switch self.membership {
        case .idle: !self.cluster.isEverythingCommitted
        case .given, .assigned:
            self.owned.contains {
                self.cluster.stored[$0]?.offset ?? 0 < self.cluster.logs[$0]?.end ?? 0
            }
        case .asked: false
        }
    }

    func recordsArrived(in partition: TopicPartition) {
        for source in self.sources where source.partition == partition {
            source.hasArrivals = true
            self.hasNews = true
        }
    }

    /// Passes an event to the engine that this broker would not produce by itself.
    package func inject(_ event: BrokerEvent) { self.tell(event) }

    // MARK: - The process

    /// Lets the process die when it has made so many more requests to its broker and its upstream.
    package func die(after requests: Int) { self.requestsToLive = requests }

    /// Counts a request, and returns whether the process is still alive to make it.
    func isAlive() -> Bool {
        self.requests += 1
        if let left = self.requestsToLive {
            if left == 0 { self.isDead = true }
            self.requestsToLive = left - 1
        }
        return !self.isDead
    }

    func kill() { self.isDead = true }

    /// Notes that the process is frozen until a time, in monotonic nanoseconds.
    func freeze(until then: Int64) { self.judges.drain.frozen(until: then) }

    func stopAsked() { self.judges.drain.stopAsked(at: self.now) }

    func ended() { self.report([self.judges.ended(at: self.now)].compactMap { $0 }) }

    /// Checks a call that begins now against the rate limits.
    func judgeRate(of call: SimulatedUpstream.Call) { self.report(self.judges.called(call, at: self.now)) }

    func report(_ complaints: [String]) { self.cluster.violations += complaints }

    func hasAcknowledged(_ name: RecordName) -> Bool { self.acknowledged.contains(name) }

    // MARK: - What the engine asks for

    /// Passes on the events that are due. A mute or dead member passes on none.
    package func serve(_ tell: (BrokerEvent) -> Void) {
        guard !self.isMute, !self.isDead else { return }
        while let event = self.events.popDue(at: self.now) {
            var event = event
            if case .revoked(let partitions, _) = event {
                self.hasToldOfRevocation = true
                self.judges.drain.partitionsAsked(at: self.now)
                // librdkafka decides at the time of telling whether the partitions are lost.
                event = .revoked(partitions, isLost: self.hasLost)
                if self.hasLost { self.owned = [] }
            }
            if case .assigned = event { self.hasToldOfRevocation = false }
            if case .transaction = event { self.isEndingTransaction = false }
            self.cluster.narrator?.tell("broker of \(self.number)", "\(event)")
            tell(event)
        }
    }

    /// Returns the group's committed positions. Times out while a transaction with one of them is undecided.
    package func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition] {
        guard self.isAlive() else { throw .timedOut }
        if let error = self.cluster.committedFate() { throw error }
        if partitions.contains(where: self.cluster.transactions.isUnstable) { throw .timedOut }
        return partitions.map { self.cluster.stored[$0] ?? CommittedPosition(partition: $0, offset: nil) }
    }

    package func partitionCount(of topics: [String]) throws(KafkaError) -> Int {
        guard self.isAlive() else { throw .timedOut }
        let parked = topics.contains(SimulatedCluster.parkingTopic) ? self.cluster.partitions : 0
        return parked + self.cluster.logs.partitions.count { topics.contains($0.topic) }
    }

    /// Notes that a turn of the process has ended.
    func turnEnded() {
        self.hasNews = false
        self.hasSwept = false
    }
}
