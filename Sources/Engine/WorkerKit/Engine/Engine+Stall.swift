import Kafka
import Logging
import ServiceKit

// The report of a standstill: a worker that has work, and finishes no record for a while, reports it in its readiness, in
// the log and as a metric.
//
// Several causes can hold at once. They are asked for in an order in which a cause comes before those that
// may be its consequence.
extension Engine {
    /// Looks for a standstill. The report calls this once a second.
    func watchForStall() {
        switch self.phase {
        case .working: self.tell(self.look(hasWork: self.hasWork))
        // A member that the group has no partitions for is assigned an empty list, and is `working`.
        case .idle, .assigning: self.tell(self.look(hasWork: true))
        case .draining, .committing, .leaving, .left: self.tell(self.look(hasWork: false))
        }
    }

    private func look(hasWork: Bool) -> StallWatch.Change? {
        // If the broker has refused produce requests or commits for so long, that is reported even while
        // calls are answered.
        let oldTrouble = [self.refused.trouble, self.commits.trouble].compactMap(\.self).first(
            where: self.isOld
        )
        if let oldTrouble { self.stallWatch.stoodStill(since: oldTrouble.since, progress: self.progress) }
        return self.stallWatch.look(
            progress: self.progress,
            hasWork: hasWork || oldTrouble != nil,
            at: self.now.monotonic
        ) { self.stallNow }
    }

    private func isOld(_ trouble: Trouble) -> Bool {
        self.now.monotonic.subtractingClamped(trouble.since) > self.settings.stallLimit.wholeNanoseconds
    }

    private var hasWork: Bool {
        self.table.count > 0 && !self.areAllDelayed || self.parkedTickets > 0 && self.unparking.trouble != nil
            || self.assignments.contains { assignment in
                guard assignment.readTrouble == nil else { return true }
                guard assignment.waitsUntil == nil else { return false }
                return assignment.hasSomethingToRead || !assignment.overflow.isEmpty || assignment.isBehind
            }
    }

    private func tell(_ change: StallWatch.Change?) {
        switch change {
        case nil: return
        case .began(let stall): self.show(stall)
        case .turned(let old, let new):
            self.metrics.set("worker_stalled", 0, labels: [("cause", old.cause)])
            self.show(new)
        case .ended(let stall):
            self.metrics.set("worker_stalled", 0, labels: [("cause", stall.cause)])
            self.logger.notice("the worker goes on", metadata: ["cause": "\(stall.cause)"])
        }
    }

    private func show(_ stall: StallWatch.Stall) {
        self.metrics.set("worker_stalled", 1, labels: [("cause", stall.cause)])
        self.logger.error(
            "the worker stands still: \(stall.description)",
            metadata: ["cause": "\(stall.cause)", "remedy": "\(stall.remedy)"]
        )
    }

    private var stallNow: StallWatch.Stall {
        self.groupStall ?? self.assignmentStall ?? self.brokerStall ?? self.pauseStall ?? self.inputStall
            ?? self.parkingStall
            ?? self.guardStall
            ?? self.upstreamStall
            ?? self.roomStall
            ?? self.fetchStall
            ?? StallWatch.Stall(
                cause: "retry",
                description: "all \(self.table.count) records in hand wait for their next try",
                remedy: "look at worker_retries_total for the reason; retry.longest bounds the wait"
            )
    }

    private var groupStall: StallWatch.Stall? {
        guard self.phase == .idle else { return nil }
        return StallWatch.Stall.group(
            self.settings.groupID,
            reading: [self.settings.inputTopic],
            trouble: self.clientTrouble?.message
        )
    }

    private var assignmentStall: StallWatch.Stall? {
        guard case .assigning = self.phase else { return nil }
        return StallWatch.Stall(
            cause: "assignment",
            description:
                "what the group has committed is not known: \(self.assignTrouble?.message ?? "no answer yet")",
            remedy:
                "look at the cluster and at this worker's right to READ as the group '\(self.settings.groupID)'"
        )
    }

    private var brokerStall: StallWatch.Stall? {
        if let trouble = self.refused.trouble {
            return StallWatch.Stall(
                cause: "produce",
                description: "results cannot be written: \(trouble.message)",
                remedy:
                    "look at the topics \(self.writtenTopics) and at this worker's right to WRITE there"
            )
        }
        if let trouble = self.commits.trouble {
            return StallWatch.Stall(
                cause: "commit",
                description: "offsets cannot be committed: \(trouble.message)",
                remedy:
                    "look at the cluster and at this worker's right to READ as the group '\(self.settings.groupID)' and to "
                    + "READ '\(self.settings.inputTopic)'"
            )
        }
        guard self.settings.delivery == .exactlyOnce, self.transaction.stage != .open else {
            return self.silentBrokerStall
        }
        return StallWatch.Stall(
            cause: "transaction",
            description: "there is no transaction to write in",
            remedy:
                "look at the cluster's transaction coordinators and at this worker's right to WRITE its transactional id"
        )
    }

    /// The broker has said neither yes nor no. librdkafka reports an error only when `message.timeout.ms` is
    /// over, which can be later than this report.
    private var silentBrokerStall: StallWatch.Stall? {
        let count = self.table.count(of: .settling)
        guard count > 0 else { return nil }
        return StallWatch.Stall(
            cause: "produce",
            description: "the cluster acknowledges none of \(count) results",
            remedy: "look at its brokers and at the topics \(self.writtenTopics)"
        )
    }

    private var writtenTopics: String {
        let topics =
            [self.settings.resultTopic, self.settings.deadLetterTopic]
            + self.settings.deadLetterRoutes.topics(besides: self.settings.deadLetterTopic)
            + [self.lot?.topic].compactMap(\.self)
        return topics.map { "'\($0)'" }.joined(separator: ", ")
    }

    private var inputStall: StallWatch.Stall? {
        guard let assignment = self.assignments.first(where: { $0.readTrouble != nil }),
            let trouble = assignment.readTrouble
        else { return nil }
        return StallWatch.Stall(
            cause: "input",
            description: "\(assignment.partition) cannot be read: \(trouble.message)",
            remedy:
                "look at the topic '\(assignment.partition.topic)' and at this worker's right to READ it"
        )
    }

    private var parkingStall: StallWatch.Stall? {
        guard let lot = self.lot else { return nil }
        if let recall = self.recall {
            let why = recall.trouble?.message ?? "they are still being read"
            return StallWatch.Stall(
                cause: "parking",
                description: "the tickets of parked records in '\(lot.topic)' are not known: \(why)",
                remedy: "look at that topic and at this worker's right to READ it"
            )
        }
        if let trouble = self.unparking.trouble {
            return StallWatch.Stall(
                cause: "parking",
                description: "parked records cannot be read again: \(trouble.message)",
                remedy:
                    "look at the topic '\(self.settings.inputTopic)' and at this worker's right to READ it"
            )
        }
        guard self.parkedTickets >= lot.limit else { return nil }
        return StallWatch.Stall(
            cause: "parking",
            description: "\(self.parkedTickets) records are parked, which is as many as a worker may hold",
            remedy: "worker_parking_tickets shows what they wait for; more workers hold more"
        )
    }

    private var guardStall: StallWatch.Stall? {
        if let (lane, waiting) = self.dispatch.queues.held.max(by: { $0.value.count < $1.value.count }) {
            return StallWatch.Stall(
                cause: "lane_held",
                description:
                    "\(waiting.count) records wait for the held lane \(Self.shown(lane))",
                remedy: self.dispatch.gates.lanes.isGated(lane)
                    ? "worker_lane_held says why it has to wait; the worker goes on by itself when a probe is answered"
                    : "correct the configuration of the lane, which its probes then find"
            )
        }
        guard let (account, records) = self.condemned.waiting.max(by: { $0.value.count < $1.value.count })
        else {
            return nil
        }
        return StallWatch.Stall(
            cause: "dead_letter_budget",
            description: "\(records.count) records wait for the dead-letter budget of \(account.reason)",
            remedy: "look at the dead letters; budget.dead_letters and budget.percent raise the budget"
        )
    }

    private var upstreamStall: StallWatch.Stall? {
        guard let endpoint = self.dispatch.gates.endpoints.first(where: { $0.breaker.state != .closed })
        else {
            guard self.table.callsInFlight > 0 else { return nil }
            return StallWatch.Stall(
                cause: "upstream_slow",
                description:
                    "\(self.table.count(of: .calling)) calls to \(self.settings.upstream) are out and none is answered",
                remedy: "look at the upstream; http.timeout bounds the wait"
            )
        }
        let name = endpoint.identity.name.isEmpty ? self.settings.upstream : endpoint.identity.name
        return StallWatch.Stall(
            cause: "upstream",
            description: "\(name) does not answer: its circuit breaker is not closed",
            remedy:
                "look at the upstream and at the way to it; the worker goes on by itself when a probe is answered"
        )
    }

    /// The cluster has records and gives none of them. A reader of committed records gets nothing behind a transaction
    /// that a publisher has left open.
    private var fetchStall: StallWatch.Stall? {
        guard let assignment = self.assignments.first(where: { $0.isBehind && $0.waitsUntil == nil }) else {
            return nil
        }
        return StallWatch.Stall(
            cause: "fetch",
            description: "\(assignment.partition) has records, and none of them arrives",
            remedy: "look at the leader of the partition, and at open transactions of its publishers"
        )
    }

    private var roomStall: StallWatch.Stall? {
        if self.isFull {
            return StallWatch.Stall(
                cause: "memory",
                description: "\(self.table.count) unfinished records leave no room for others",
                remedy: "worker.records_limit and worker.bytes_limit bound what is in hand; "
                    + "worker_oldest_unfinished_age_seconds shows the partition"
            )
        }
        guard let assignment = self.assignments.first(where: { !$0.overflow.isEmpty }) else { return nil }
        return StallWatch.Stall(
            cause: "window",
            description: "\(assignment.partition) waits for an unfinished record that is "
                + "\(PartitionProgress.window) offsets behind",
            remedy:
                "look at what that record waits for: worker_oldest_unfinished_age_seconds shows its age, and "
                + "worker_retries_total the reason"
        )
    }
}
