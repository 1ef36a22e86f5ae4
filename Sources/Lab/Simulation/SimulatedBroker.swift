package import Kafka
package import Records
package import ServiceKit
import WireFormats
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
    private let number: Int
    private var events = DueQueue<BrokerEvent>()
    private var sources: [SimulatedSource] = []
    /// The member's state in its group.
    package private(set) var membership = Membership.idle
    /// The partitions that this member may regard as its own, as far as it has been told.
    private(set) var owned: Set<TopicPartition> = []
    private var generation = 0
    /// Whether the group has already given the partitions to other members.
    private var hasLost = false
    /// Whether the group has gone on without this member, which does not know it yet.
    var isDeposed = false
    /// Whether the group has revoked the partitions before the member accepted them.
    private var isAskedBack = false
    private(set) var isLeaving = false
    /// Whether the member has left the group.
    package private(set) var hasLeft = false
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
    private var acknowledged: Set<SimulatedCluster.RecordName> = []

    private var epoch: Int?
    /// Whether the producer is fenced and cannot be used any more.
    private var isFenced = false
    /// The time at which the last request takes effect. A later request never takes effect earlier.
    private var lastEffect: Int64 = .min
    /// The time at which the last answer arrives. A later answer never arrives earlier.
    private var lastAnswer: Int64 = .min
    /// Counts aborts and new producers. Reports of an earlier era are dropped.
    private var era = 0

    private var hand: HandJudge
    private var drain: DrainJudge
    private var rate: RateJudge?
    private var sideRate: RateJudge?
    private var letters: LetterJudge
    private let ordering: EngineSettings.Ordering
    /// The number of requests that the process has made, to the broker and to its upstream.
    private(set) var requests = 0
    /// The number of records that the process has read, and of the outcomes, copies and commits of
    /// transactions that readers can see. Every repetition counts again.
    private(set) var progress = 0
    /// The number of committed transactions with positions.
    private(set) var committedTransactions = 0
    /// Whether something has arrived since the last turn of the process.
    var hasNews = false
    /// Whether the engine has sent something in this turn that it may have found in its regular sweep over
    /// all records in hand. Such work has no exact time.
    private(set) var hasSwept = false
    /// Whether the process has asked to commit or to abort and has no answer yet. It must not send anything
    /// meanwhile: librdkafka refuses it (`ERR__STATE`), and it would be unclear to which transaction the
    /// record belongs.
    private var isEndingTransaction = false

    init(_ cluster: SimulatedCluster, number: Int, _ settings: EngineSettings, sideRate: RateLimit.Settings?)
    {
        self.cluster = cluster
        self.number = number
        self.hand = HandJudge(settings)
        self.drain = DrainJudge(settings)
        self.rate = settings.rate.map { RateJudge($0) }
        self.sideRate = sideRate.map { RateJudge($0) }
        self.letters = LetterJudge(settings.budget)
        self.ordering = settings.ordering
    }

    private var now: Int64 { self.cluster.clock.now.monotonic }

    /// The time at which there is an event to pass on, in monotonic nanoseconds.
    var nextDue: Int64? { self.isMute || self.isDead ? nil : self.events.nextDue }

    private func tell(_ event: BrokerEvent, after delay: Duration = .zero) {
        self.events.add(event, due: self.now + delay.wholeNanoseconds)
    }

    /// Schedules an effect at the broker, after those of all requests that were sent before.
    private func send(after delay: Duration, _ effect: @escaping () -> Void) {
        self.lastEffect = max(self.lastEffect, self.now + delay.wholeNanoseconds)
        self.cluster.network.add(effect, due: self.lastEffect)
    }

    /// Schedules an answer, after those to all requests that were sent before.
    private func answer(after delay: Duration, _ event: @escaping () -> BrokerEvent?) {
        self.lastAnswer = max(self.lastAnswer, self.lastEffect, self.now + delay.wholeNanoseconds)
        self.cluster.network.add({ [self] in event().map { self.tell($0) } }, due: self.lastAnswer)
    }

    /// Whether the member has partitions with records that it may read and has not read. A copy in a retry
    /// topic may not be read before it is due.
    var hasUnread: Bool { self.membership == .assigned && self.sources.contains { $0.hasUnreadThatIsDue } }

    /// Whether the member has partitions that are not committed up to their end.
    var hasLag: Bool {
        guard self.membership == .given || self.membership == .assigned else { return false }
        return self.owned.contains {
            self.cluster.stored[$0]?.offset ?? 0 < self.cluster.logs[$0]?.end ?? 0
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

    // MARK: the process

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
    func freeze(until then: Int64) { self.drain.frozen(until: then) }

    func stopAsked() { self.drain.stopAsked(at: self.now) }

    func ended() {
        guard let late = self.drain.ended(at: self.now) else { return }
        self.cluster.violations.append("a worker that was stopped ends \(late) ns late")
    }

    /// Checks a call that begins now against the rate limits.
    func judgeRate(of call: SimulatedUpstream.Call) {
        if let isAdmitted = self.rate?.callBegan(at: self.now), !isAdmitted, !call.isFollowUp {
            self.cluster.violations.append("\(call) is more than its share of the rate")
        }
        // The rate of an endpoint includes follow-up calls.
        if call.endpoint == .side, self.sideRate?.callBegan(at: self.now) == false {
            self.cluster.violations.append("\(call) is more than its share of the endpoint's rate")
        }
    }

    func hasAcknowledged(_ name: SimulatedCluster.RecordName) -> Bool { self.acknowledged.contains(name) }

    // MARK: what the group does

    var canBeDealtTo: Bool { self.membership == .idle && !self.isLeaving }

    func askForPartitions(isLost: Bool) {
        if isLost { self.generation = -1 }
        self.hasLost = self.hasLost || isLost
        switch self.membership {
        case .assigned:
            self.membership = .asked
            self.tell(.revoked(self.sources.map(\.partition), isLost: isLost))
        // As in librdkafka, no event follows before the last one has been answered.
        case .given: self.isAskedBack = true
        case .asked: break
        case .idle: self.hasLost = false
        }
    }

    func deal(_ partitions: [TopicPartition], in generation: Int) {
        self.membership = .given
        self.owned = Set(partitions)
        self.generation = generation
        self.tell(.assigned(partitions))
    }

    // MARK: what the engine does

    /// Passes on the events that are due. A mute or dead member passes on none.
    package func serve(_ tell: (BrokerEvent) -> Void) {
        guard !self.isMute, !self.isDead else { return }
        while let event = self.events.popDue(at: self.now) {
            var event = event
            if case .revoked(let partitions, _) = event {
                self.hasToldOfRevocation = true
                self.drain.partitionsAsked(at: self.now)
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
        return parked + self.cluster.logs.keys.count { topics.contains($0.topic) }
    }

    /// Accepts the assignment, and begins to judge what is done with it.
    package func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [SimulatedSource] {
        guard self.isAlive() else { throw .timedOut }
        self.acknowledged = []
        self.sources = positions.map { self.source(at: $0) }
        // The engine may begin to read before the committed offset.
        self.hand.startAnew(
            from: positions.map { self.cluster.stored[$0.partition] ?? $0 },
            in: self.cluster.id
        )
        self.letters.startAnew()
        let all = self.cluster.logs.count
        let share = Double(positions.count) / Double(max(1, all))
        self.rate?.shareChanged(to: share, at: self.now)
        self.sideRate?.shareChanged(to: share, at: self.now)
        if self.membership == .given { self.membership = .assigned }
        if self.isAskedBack {
            self.isAskedBack = false
            self.askForPartitions(isLost: false)
        }
        return self.sources
    }

    private func source(at position: CommittedPosition) -> SimulatedSource {
        let source = SimulatedSource(position, self.cluster)
        source.asked = { [unowned self] wanted in
            guard !self.isDead,
                let complaint = self.hand.complaint(about: wanted, callBytes: self.callBytes())
            else { return }
            self.cluster.violations.append(complaint)
        }
        source.handedOver = { [unowned self] record in
            // A record that is read counts as a request, which a sleeping process must not make late. It does
            // not count with transactions: an expired record may have made room for it there, and nothing
            // shows when that happened.
            if self.epoch == nil { self.requests += 1 }
            self.progress += 1
            self.cluster.narrator?.tell("broker of \(self.number)", "hands over \(record.place)")
            guard let origin = self.cluster.originName(of: record) else { return }
            // The worker does not hold a record of the input that is parked.
            guard !self.cluster.tickets.contains(origin) || record.topic != SimulatedCluster.topic else {
                return
            }
            let due = RetryTicket(record.headers)?.due
            let isDue = due.map { $0 <= self.cluster.clock.now.wall } ?? true
            self.hand.read(record, origin, at: self.now, isDue: isDue)
        }
        return source
    }

    /// Gives up all partitions. The member then leaves, or takes part in the next assignment.
    package func unassign() throws(KafkaError) {
        guard self.isAlive() else { return }
        if let late = self.drain.partitionsGivenUp(at: self.now) {
            self.cluster.violations.append("partitions are given up \(late) ns late")
        }
        self.hand.startAnew(from: [], in: self.cluster.id)
        self.letters.startAnew()
        self.sources = []
        self.hasLost = false
        self.isAskedBack = false
        self.owned = []
        self.membership = .idle
        self.partitionsGivenUp()
        if self.isLeaving {
            self.hasLeft = true
            self.cluster.remove(self)
        } else if self.isDeposed {
            self.rejoin()
        } else {
            self.cluster.dealIfAllAnswered()
        }
    }

    /// Sends a commit. A commit without partitions of its own is a violation.
    package func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError) {
        guard self.isAlive() else { return }
        guard !self.owned.isEmpty else {
            self.cluster.violations.append("a commit for partitions that are not owned")
            return self.tell(.committed(id: id, .illegalGeneration))
        }
        let generation = self.generation
        switch self.cluster.commitFate(positions) {
        case .acknowledged(let delay):
            self.store(positions, in: generation, id: id, after: delay, nil)
        case .failed(let error, let delay, let isStored):
            if isStored { return self.store(positions, in: generation, id: id, after: delay, error) }
            self.tell(.committed(id: id, error), after: delay)
        case .refused(let error): throw error
        }
    }

    /// Stores a commit when it arrives, if its sender still has these partitions.
    private func store(
        _ positions: [CommittedPosition],
        in generation: Int,
        id: UInt64,
        after delay: Duration,
        _ error: KafkaError?
    ) {
        var refusal: KafkaError?
        self.send(after: delay / 2) { [self] in
            guard self.isOwner(in: generation, of: positions) else { return refusal = .illegalGeneration }
            self.cluster.store(positions)
        }
        self.answer(after: delay) { .committed(id: id, error ?? refusal) }
    }

    /// Returns whether the group's coordinator regards this member as the owner of these partitions.
    private func isOwner(in generation: Int, of positions: [CommittedPosition]) -> Bool {
        self.generation == generation && self.cluster.members.contains { $0 === self }
            && positions.allSatisfy { self.owned.contains($0.partition) }
    }

    /// Sends a record, in the open transaction if there are transactions.
    package func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError) {
        guard self.isAlive() else { return }
        if self.epoch == nil {
            self.cluster.judgeSend(record)
            self.judgeBudget(of: record)
            self.judgeExpiry(of: record)
        }
        if record.canComeOfASweep { self.hasSwept = true }
        if self.isEndingTransaction {
            self.cluster.violations.append("\(record.summary) is sent while its transaction ends")
        }
        if self.isFenced { throw .fenced }
        let fate = self.cluster.fate(of: record)
        self.cluster.narrator?.tell("broker of \(self.number)", "takes \(id), \(record.summary): \(fate)")
        switch fate {
        case .acknowledged(let delay): self.write(record, id: id, after: delay, nil)
        case .failed(let error, let delay, let isWritten):
            if isWritten { return self.write(record, id: id, after: delay, error) }
            let era = self.era
            self.answer(after: delay) { [self] in self.era == era ? .reported(id: id, error) : nil }
        case .refused(let error): throw error
        }
    }

    /// Checks that a record in hand expires in time. Records that wait for others of their order are not
    /// checked.
    private func judgeExpiry(of record: OutboundRecord) {
        guard let outcome = SimulatedOutcome(record) else { return }
        let name = SimulatedCluster.RecordName(partition: outcome.partition, offset: outcome.offset)
        let waitsForNobody = self.ordering == .none || self.ordering == .key && record.key == nil
        guard let since = self.hand.outcomeSent(name), outcome.fate == "expired", waitsForNobody,
            !self.drain.hasBeenFrozen, !self.cluster.clock.hasBeenStepped,
            let deadline = self.cluster.deadline(outcome.offset, in: outcome.partition), deadline < .max
        else { return }
        let held = Duration.nanoseconds(self.now - since)
        let late = min(.milliseconds(self.cluster.clock.now.wall.addingClamped(-deadline)), held)
        guard late > Self.expiryLimit else { return }
        self.cluster.violations.append("\(outcome.id) expires \(late) after its deadline")
    }

    /// The longest delay of an expiry: the time of two calls and of two sweeps over all records in hand.
    private static let expiryLimit = Duration.seconds(12)

    private func judgeBudget(of record: OutboundRecord) {
        guard let id = record.text("dlq.id"),
            let count = self.letters.sent(id, of: record.budgetAccount, at: self.now)
        else { return }
        self.cluster.violations.append("\(count) dead letters are more than the budget allows")
    }

    private func write(_ record: OutboundRecord, id: UInt64, after delay: Duration, _ error: KafkaError?) {
        var refusal: KafkaError?
        let (epoch, era) = (self.epoch, self.era)
        self.send(after: delay / 2) { [self] in
            guard let epoch else {
                self.cluster.write(record)
                if record.topic == SimulatedCluster.parkingTopic { self.cluster.parking?.append(record) }
                return
            }
            guard self.era == era, self.cluster.transactions.write(record, self.number, epoch: epoch) else {
                return refusal = .fenced
            }
        }
        self.answer(after: delay) { [self] in
            guard self.era == era else { return nil }
            if refusal != nil { self.fence() }
            if refusal == nil, error == nil { self.noteAcknowledged(record) }
            return .reported(id: id, error ?? refusal)
        }
    }

    private func noteAcknowledged(_ record: OutboundRecord) {
        if self.epoch == nil { self.progress += 1 }
        if let outcome = SimulatedOutcome(record) {
            let name = SimulatedCluster.RecordName(partition: outcome.partition, offset: outcome.offset)
            self.acknowledged.insert(name)
            self.hand.settled(name)
        } else if let ticket = RetryTicket(record.headers) {
            self.hand.forwarded(ticket.from)
        } else if record.topic == SimulatedCluster.parkingTopic, let offset = record.key {
            let text = String(decoding: offset, as: UTF8.self)
            self.hand.forwarded("\(SimulatedCluster.topic)/\(record.partition ?? 0)/\(text)")
        }
    }

    /// Notes that a turn of the process has ended.
    func turnEnded() {
        self.hasNews = false
        self.hasSwept = false
    }

    /// Begins to leave the group. It is over when `hasLeft` is true.
    package func leave() throws(KafkaError) {
        guard self.isAlive() else { return }
        self.isLeaving = true
        switch self.membership {
        case .idle:
            self.hasLeft = true
            self.cluster.remove(self)
        // The rebalance that the engine was told of must be answered first.
        case .given, .asked: break
        case .assigned: self.askForPartitions(isLost: false)
        }
    }

    // MARK: transactions

    private func fence() {
        guard !self.isFenced else { return }
        self.isFenced = true
        self.tell(.producerFailed(.fenced))
    }

    package func openTransactions() throws(KafkaError) {
        self.cluster.narrator?.tell("broker of \(self.number)", "open")
        guard self.isAlive() else { return }
        self.era += 1
        self.isFenced = false
        if let error = self.cluster.openFate() {
            return self.answer(after: .seconds(1)) { .transaction(.failed(error)) }
        }
        let era = self.era
        self.send(after: .milliseconds(2)) { [self] in
            if self.era == era { self.epoch = self.cluster.transactions.open(self.number) }
        }
        self.answer(after: .milliseconds(4)) { .transaction(.opened) }
    }

    package func commitTransaction(_ positions: [CommittedPosition]) {
        self.cluster.narrator?.tell("broker of \(self.number)", "commit of \(positions)")
        guard self.isAlive(), let epoch = self.epoch else { return }
        self.isEndingTransaction = true
        if self.generation < 0 {
            let error = KafkaError(code: .unknownMember, message: "not a member", requiresAbort: true)
            return self.tell(.transaction(.failed(error)))
        }
        switch self.cluster.transactionFate(positions) {
        case .committed(let delay): self.commit(positions, epoch, after: delay)
        case .refused(let error, let delay): self.answer(after: delay) { .transaction(.failed(error)) }
        case .unanswered(let patience, let progress):
            self.commitUnheard(positions, epoch, after: patience, progress: progress)
        }
    }

    private func commit(_ positions: [CommittedPosition], _ epoch: Int, after delay: Duration) {
        var refusal: KafkaError?
        let generation = self.generation
        self.send(after: delay / 3) { [self] in refusal = self.addOffsets(positions, epoch, in: generation) }
        self.send(after: delay * 2 / 3) { [self] in
            guard refusal == nil else { return }
            if !self.cluster.transactions.commit(self.number, epoch: epoch) { refusal = .fenced }
            if refusal == nil, !positions.isEmpty {
                self.progress += 1
                self.committedTransactions += 1
            }
        }
        self.answer(after: delay) { .transaction(refusal.map { .failed($0) } ?? .committed) }
    }

    private func addOffsets(_ positions: [CommittedPosition], _ epoch: Int, in generation: Int) -> KafkaError?
    {
        guard self.isOwner(in: generation, of: positions) else {
            return KafkaError(
                code: .illegalGeneration,
                message: "not the current generation",
                requiresAbort: true
            )
        }
        return self.cluster.transactions.add(positions, self.number, epoch: epoch) ? nil : .fenced
    }

    /// Lets the client wait in vain for the result of its commit, of which the broker does a part.
    private func commitUnheard(
        _ positions: [CommittedPosition],
        _ epoch: Int,
        after patience: Duration,
        progress: TransactionFate.Progress
    ) {
        var isRefused = false
        let generation = self.generation
        if case .nothing = progress {
        } else {
            self.send(after: .milliseconds(3)) { [self] in
                isRefused = self.addOffsets(positions, epoch, in: generation) != nil
            }
        }
        let end = { [self] in
            if !isRefused { _ = self.cluster.transactions.commit(self.number, epoch: epoch) }
        }
        switch progress {
        case .nothing, .offsets: break
        case .everything: self.send(after: .milliseconds(5), end)
        // This request has taken another way, so it is not in line with requests that are sent later.
        case .everythingLate(let delay):
            self.cluster.network.add(end, due: self.now + (patience + delay).wholeNanoseconds)
        }
        self.answer(after: patience) { .transaction(.failed(.timedOut)) }
    }

    package func abortTransaction() {
        self.cluster.narrator?.tell("broker of \(self.number)", "abort")
        guard self.isAlive(), let epoch = self.epoch else { return }
        self.isEndingTransaction = true
        self.era += 1
        if let error = self.cluster.openFate() {
            return self.answer(after: .seconds(1)) { .transaction(.failed(error)) }
        }
        var isFenced = false
        self.send(after: .milliseconds(2)) { [self] in
            isFenced = !self.cluster.transactions.abort(self.number, epoch: epoch)
        }
        self.answer(after: .milliseconds(4)) { .transaction(isFenced ? .failed(.fenced) : .aborted) }
    }
}

extension KafkaError {
    /// The broker rejects a commit of an earlier generation.
    package static let illegalGeneration = KafkaError(
        code: .illegalGeneration,
        message: "not the current generation"
    )
    /// A request got no answer in time.
    package static let timedOut = KafkaError(code: .timedOut, message: "timed out", isRetriable: true)
    /// The producer's queue is full.
    package static let queueFull = KafkaError(code: .queueFull, message: "queue full", isRetriable: true)
    /// The record is larger than the broker accepts.
    package static let messageTooLarge = KafkaError(code: .messageTooLarge, message: "message too large")
    static let unknownPartition = KafkaError(code: .unknownPartition, message: "unknown partition")
    static let fenced = KafkaError(code: .fenced, message: "fenced", isFatal: true)
}
