import Foundation
import Kafka
import Records
import UpstreamHTTP
import UpstreamSimulator
import WorkerKit

/// The time in which things go wrong, and the time after it in which all must come right.
final class ChaosRun {
    /// So long after the load has ended every input must have its outcome.
    static let longestSettling = Duration.seconds(120)
    /// So often it is said meanwhile what is missing.
    static let patience = Duration.seconds(5)
    /// So long after SIGTERM a worker must have ended.
    static let longestLeaving = Duration.seconds(30)
    /// So long the question may take what a worker has before it is killed.
    static let lastQuestion = Duration.milliseconds(500)

    /// If workers end by themselves so often, the rest of the run would tell nothing new.
    static let deathsLimit = 10

    let schedule: ChaosSchedule
    let cast: ChaosCast
    let stage: Stage
    let load: Load
    let watch: ResultWatch
    let desk: UpstreamDesk
    var begun = ContinuousClock.now
    var toBegin: ArraySlice<ChaosFault>
    var toEnd: [ChaosFault] = []
    var kills: [PlannedKill] = []
    /// Workers whose next life begins as soon as the last has ended.
    var restarts: [(worker: Int, fault: ChaosFault)] = []
    var tally = ChaosTally()
    var findings: [(ChaosFindings.Matter, String)] = []
    var lastEnd = ContinuousClock.now

    /// A worker that is about to be killed, once it has said what it has.
    struct PlannedKill {
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
        let keys = options.hasAdversary ? ChaosAdversary.keys : Load.keys
        let audit = ChaosAudit(topic: cast.topic, keys: keys, delivery: options.delivery)
        self.load = try Load(audit, topic: cast.topic, brokers: cast.brokers, options)
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

    var time: Duration { self.begun.duration(to: .now) }

    func tell(_ text: String) {
        let seconds = String(format: "%7.1f s", self.time / .seconds(1))
        self.stage.screen.line("\(seconds)  \(text)")
    }

    func turn() throws {
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

    func keepSchedule() throws {
        while let fault = self.toBegin.first, fault.start <= self.time {
            self.toBegin.removeFirst()
            self.toEnd.append(fault)
            try self.begin(fault)
        }
        for fault in self.toEnd where fault.end <= self.time { try self.end(fault) }
        self.toEnd.removeAll { $0.end <= self.time }
    }

    // MARK: - Afterwards

    func settle() throws {
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

    var isSettled: Bool {
        self.load.reported == self.load.sent && self.watch.settled >= self.load.audit.deliveredCount
            && self.desk.isUpToDate
    }

    func dismissWorkers() throws {
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

    static func text(_ duration: Duration) -> String { Row.text(duration) }
}
