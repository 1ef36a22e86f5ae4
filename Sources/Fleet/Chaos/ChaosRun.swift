import Foundation
import Kafka
import Records
import UpstreamHTTP
import UpstreamSimulator
import WorkerKit

/// The time in which things go wrong, and the time after it in which all must come right.
final class ChaosRun {
    /// So long after the load has ended every input must have its outcome.
    private static let longestSettling = Duration.seconds(120)
    /// So often it is said meanwhile what is missing.
    private static let patience = Duration.seconds(5)
    /// So long after SIGTERM a worker must have ended.
    private static let longestLeaving = Duration.seconds(30)
    /// So long the question may take what a worker has before it is killed.
    private static let lastQuestion = Duration.milliseconds(500)

    /// If workers end by themselves so often, the rest of the run would tell nothing new.
    private static let deathsLimit = 10

    private let schedule: ChaosSchedule
    private let cast: ChaosCast
    private let stage: Stage
    private let load: Load
    private let watch: ResultWatch
    private let desk: UpstreamDesk
    private var begun = ContinuousClock.now
    private var toBegin: ArraySlice<ChaosFault>
    private var toEnd: [ChaosFault] = []
    private var kills: [PlannedKill] = []
    private var tally = ChaosTally()
    private var findings: [(ChaosFindings.Matter, String)] = []
    private var lastEnd = ContinuousClock.now

    /// A worker that is about to be killed, once it has said what it has.
    private struct PlannedKill {
        var post: WorkerPost
        var question: UInt64?
        var latest: ContinuousClock.Instant
    }

    init(_ schedule: ChaosSchedule, _ cast: ChaosCast, on stage: Stage) throws {
        self.schedule = schedule
        self.cast = cast
        self.stage = stage
        self.toBegin = schedule.faults[...]
        let options = cast.options
        let audit = ChaosAudit(topic: cast.topic, keys: Load.keys, delivery: options.delivery)
        self.load = try Load(
            audit,
            topic: cast.topic,
            brokers: cast.brokers,
            perSecond: options.rate,
            seed: options.seed
        )
        self.watch = try ResultWatch(cast.resultTopic, of: cast.topic, cast.brokers)
        self.desk = UpstreamDesk(cast.upstream, on: stage)
    }

    // MARK: - The run

    func play() throws {
        self.stage.attend(self.load)
        self.stage.attend(self.watch)
        self.begun = .now
        let length = self.cast.options.length
        let longest = length + Self.longestSettling + Self.longestLeaving + .seconds(60)
        self.stage.end(by: self.begun + longest)
        self.load.begin()
        self.tell("\(self.cast.options.workers) workers, \(self.cast.options.rate) inputs a second")
        while self.time < length { try self.turn() }
        self.load.end()
        self.lastEnd = .now
        try self.settle()
        try self.dismissWorkers()
    }

    private var time: Duration { self.begun.duration(to: .now) }

    private func tell(_ text: String) {
        let seconds = String(format: "%7.1f s", self.time / .seconds(1))
        self.stage.screen.line("\(seconds)  \(text)")
    }

    private func turn() throws {
        try self.stage.turn()
        try self.load.sendWhatIsDue()
        self.desk.turn { page in
            for entry in page.entries { self.load.audit.noted(entry) }
            self.tally.journalLost = max(self.tally.journalLost, page.lost)
        }
        try self.keepSchedule()
        self.killWhoIsDue()
        try self.takeEnds()
        for (what, length) in self.watch.takeovers.takeEnded() {
            self.tell("what \(what) left behind is worked again after \(Self.text(length))")
        }
        let open = self.load.reported - self.watch.settled
        self.stage.screen.show("… \(self.load.sent) sent, \(open) under way")
    }

    private func keepSchedule() throws {
        while let fault = self.toBegin.first, fault.start <= self.time {
            self.toBegin.removeFirst()
            self.toEnd.append(fault)
            try self.begin(fault)
        }
        for fault in self.toEnd where fault.end <= self.time { try self.end(fault) }
        self.toEnd.removeAll { $0.end <= self.time }
    }

    // MARK: - Faults

    private func begin(_ fault: ChaosFault) throws {
        let length = Self.text(fault.length)
        switch fault.deed {
        case .kill(let worker):
            self.tell("kill -9 worker \(worker + 1), for \(length)")
            self.planKill(self.cast.posts[worker])
        case .killAll:
            self.tell("kill -9 every worker, for \(length)")
            for post in self.cast.posts { self.planKill(post) }
        case .pause(let worker):
            self.tell("SIGSTOP worker \(worker + 1), for \(length)")
            self.tally.pauses += 1
            self.cast.posts[worker].pause()
        case .scaleDown(let worker):
            self.tell("SIGTERM worker \(worker + 1), for \(length)")
            self.tally.scaledDown += 1
            self.cast.posts[worker].dismiss()
        case .scaleUp(let worker):
            self.tell("one more, worker \(worker + 1), for \(length)\(Self.queue(fault))")
            self.tally.scaledUp += 1
            try self.cast.start(worker, queueLimit: fault.queueLimit)
        case .upstream(let trouble):
            self.tell("\(trouble.rawValue), for \(length)")
            self.tally.upstreamFaults += 1
            self.desk.set(trouble.faults(for: fault.length))
        case .broker(let trouble):
            self.tell("\(trouble.rawValue), for \(length)")
            self.tally.brokerFaults += 1
            self.cast.tellBroker(trouble.order(for: fault.length))
        }
    }

    private func end(_ fault: ChaosFault) throws {
        switch fault.deed {
        // Who is not gone yet begins its next life when it is.
        case .kill(let worker), .scaleDown(let worker): self.restart([worker], fault)
        case .killAll: self.restart(Array(0..<self.cast.options.workers), fault)
        case .pause(let worker):
            self.tell("SIGCONT worker \(worker + 1)")
            self.cast.posts[worker].resume()
        case .scaleUp(let worker):
            self.tell("SIGTERM worker \(worker + 1)")
            self.cast.posts[worker].dismiss()
        case .upstream(let trouble):
            self.tell("over: \(trouble.rawValue)")
            self.desk.set(Faults())
        case .broker(let trouble):
            guard trouble != .cutsConnections, trouble != .movesCoordinators else { return }
            self.tell("over: \(trouble.rawValue)")
            self.cast.tellBroker(BrokerOrder(faults: BrokerOrder.Faults()))
        }
    }

    private static func queue(_ fault: ChaosFault) -> String {
        fault.queueLimit.map { ", its producer's queue holds \($0)" } ?? ""
    }

    private var restarts: [(worker: Int, fault: ChaosFault)] = []

    private func restart(_ workers: [Int], _ fault: ChaosFault) {
        self.restarts += workers.map { ($0, fault) }
    }

    // MARK: - Kills

    /// Asks the victim what it has, so that it is known whose work waits from then on.
    private func planKill(_ post: WorkerPost) {
        guard post.state == .working else { return }
        let question = post.metricsRequest.map { self.stage.ask($0) }
        self.kills.append(PlannedKill(post: post, question: question, latest: .now + Self.lastQuestion))
    }

    private func killWhoIsDue() {
        self.kills.removeAll { plan in
            let answer = plan.question.flatMap { self.stage.takeAnswer($0) }
            guard answer != nil || plan.question == nil || .now >= plan.latest else { return false }
            plan.post.kill()
            var partitions: Set<Int32> = []
            if case .success(let response) = answer {
                partitions = Self.partitions(MetricsPage(response.body), of: self.cast.topic)
            }
            self.watch.takeovers.killed(at: Moment.now.wall, with: partitions, plan.post.name)
            return true
        }
    }

    private static func partitions(_ page: MetricsPage, of topic: String) -> Set<Int32> {
        Set(page.values(of: "partition", in: "worker_partition_next_offset").compactMap { Int32($0) })
    }

    // MARK: - Ends

    private func takeEnds() throws {
        for post in self.cast.posts {
            switch post.takeEnd() {
            case .killed, nil: break
            case .left(let exit, let took):
                if exit != .code(0) { self.object(.worker, "\(post.name) left with \(exit)") }
                self.tell("\(post.name) has left, \(Self.text(took)) after SIGTERM")
                self.tally.longestLeaving = max(self.tally.longestLeaving, took)
            case .gaveUp(let lastWords):
                self.tell("\(post.name) gives up: \(lastWords)")
                self.tally.clientFailures += 1
                try self.restart(post, after: lastWords)
            case .died(let exit, let lastWords):
                self.tell("\(post.name) has ended by itself: \(exit)")
                self.object(.worker, "\(post.name) ended by itself (\(exit)): \(lastWords)")
                try self.restart(post, after: lastWords)
            }
            if case .leaving(let since) = post.state, since.duration(to: .now) > Self.longestLeaving {
                self.object(
                    .worker,
                    "\(post.name) had not ended \(Self.text(Self.longestLeaving)) after SIGTERM"
                )
                post.kill()
            }
        }
        try self.beginNextLives()
    }

    /// What a supervisor does.
    private func restart(_ post: WorkerPost, after lastWords: String) throws {
        self.tally.deaths += 1
        guard self.tally.deaths < Self.deathsLimit else {
            throw Complaint("workers do not stay; the last said: \(lastWords)")
        }
        guard let worker = self.cast.posts.firstIndex(where: { $0 === post }) else { return }
        if worker < self.cast.options.workers { try self.cast.start(worker, queueLimit: nil) }
    }

    private func beginNextLives() throws {
        var waiting: [(worker: Int, fault: ChaosFault)] = []
        for (worker, fault) in self.restarts {
            guard self.cast.posts[worker].state == .absent else {
                waiting.append((worker, fault))
                continue
            }
            self.tell("worker \(worker + 1) is back\(Self.queue(fault))")
            try self.cast.start(worker, queueLimit: fault.queueLimit)
        }
        self.restarts = waiting
    }

    private func object(_ matter: ChaosFindings.Matter, _ sentence: String) {
        self.findings.append((matter, sentence))
    }

    // MARK: - Afterwards

    private func settle() throws {
        self.tell("everything is healed and the load ends; \(self.load.sent) inputs were sent")
        let limit = ContinuousClock.now + Self.longestSettling
        var nextWord = ContinuousClock.now + Self.patience
        while .now < limit, !self.isSettled {
            try self.turn()
            guard .now >= nextWord else { continue }
            nextWord = .now + Self.patience
            let unacknowledged = self.load.sent - self.load.reported
            let open = self.load.audit.deliveredCount - self.watch.settled
            self.tell(
                "still missing: \(unacknowledged) acknowledgements, \(open) outcomes\(self.watch.missing)"
            )
        }
        self.tally.settling = self.isSettled ? self.lastEnd.duration(to: .now) : nil
        if !self.isSettled {
            let open = self.load.sent - self.watch.settled
            self.object(
                .lag,
                "\(open) inputs had no outcome \(Self.text(Self.longestSettling)) after the load's end"
            )
        }
    }

    private var isSettled: Bool {
        self.load.reported == self.load.sent && self.watch.settled >= self.load.audit.deliveredCount
            && self.desk.isUpToDate
    }

    private func dismissWorkers() throws {
        self.tell("SIGTERM to every worker")
        self.restarts = []
        for post in self.cast.posts { post.dismiss() }
        while self.cast.posts.contains(where: { $0.state != .absent }) { try self.turn() }
        // What the last victims left open keeps readers waiting, and hides what comes after it.
        let until = self.begun + self.schedule.calm + self.cast.transactionTimeout + .seconds(1)
        while .now < until { try self.turn() }
    }

    /// Reads both topics from their beginning to their end, with a reader that has nothing to do with the rest.
    func conclude() throws -> ChaosSummary {
        var audit = self.load.audit
        let reader = try Stage.reader(of: [self.cast.resultTopic, self.cast.letterTopic], self.cast.brokers)
        self.stage.end(by: .now + .seconds(180))
        while !reader.isAtEnd {
            let taken = reader.read(atMost: 5_000) { record in
                if record.topic == self.cast.resultTopic {
                    audit.foundOutcome(record)
                } else {
                    audit.foundLetter(record)
                }
            } _: { _ in
            }
            if taken == 0, !reader.isAtEnd { try self.stage.turn() }
        }
        audit.journalLost(self.tally.journalLost)
        audit.conclude()
        self.tally.lag = try self.cast.lag(behind: audit.ends)
        if self.tally.lag > 0 { self.object(.lag, "the group has not committed \(self.tally.lag) records") }
        for sentence in self.watch.takeovers.unfinished { self.object(.orphaned, sentence) }
        for (matter, sentence) in self.findings { audit.object(matter, sentence) }
        self.tally.lives = self.cast.posts.reduce(0) { $0 + $1.lives }
        self.tally.smallQueues = self.cast.smallQueues
        self.tally.brokerCounts = self.cast.brokerCounts
        return ChaosSummary(self.cast.options, audit, self.tally, self.watch.takeovers)
    }

    private static func text(_ duration: Duration) -> String { Row.text(duration) }
}
