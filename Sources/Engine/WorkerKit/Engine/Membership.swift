import Kafka
import ServiceKit

/// The engine's standing in its consumer group: the phase it is in, how long that may last, and the step that
/// ends it.
///
/// A value without clock and broker. The engine tells it what has happened, asks for the next step, and does
/// what the step says. These are the moves:
///
///     idle       → assigning, leaving
///     assigning  → assigning, working, idle
///     working    → draining, idle (lost), assigning (lost, and assigned anew)
///     draining   → committing, idle (lost)
///     committing → idle, assigning, leaving
///     leaving    → left
struct Membership {
    /// The phases from the assignment of partitions to leaving the group.
    enum Phase: Hashable {
        /// The group has assigned no partitions yet, or the engine has given them up.
        case idle
        /// The group has assigned these partitions, and the committed offsets are not known yet. The next
        /// question is due at this monotonic time.
        case assigning([TopicPartition], retryAt: Int64)
        /// Records are taken in and calls are made. The assignment may be empty.
        case working
        /// No new call begins for a waiting record. Calls in flight and outcomes may finish until this
        /// monotonic time.
        case draining(until: Int64, Draining)
        /// The last commit is to be acknowledged, until this monotonic time at most.
        case committing(until: Int64, Draining)
        /// Everything in hand was dropped, and the broker has been asked to leave the group. It may take until
        /// this monotonic time.
        case leaving(until: Int64)
        /// The member has left the group, or the time for it has passed.
        case left

        /// Whether the engine takes no partitions any more.
        var isEnding: Bool {
            switch self {
            case .leaving, .left: true
            case .idle, .assigning, .working, .draining, .committing: false
            }
        }
    }

    /// The reason for a drain, which decides what follows it.
    enum Draining: Hashable {
        /// The group waits until the partitions are given back.
        case revoked
        /// `stop` was called. The engine leaves the group.
        case stopping
        /// A commit speaks of a log that is no more. All partitions are taken up once more.
        case restarting
    }

    /// A step that the engine has to take.
    enum Step: Hashable {
        /// Ask for the committed offsets of these partitions and take them up.
        case takeUp([TopicPartition])
        /// Send the last commit: the drain is over, or its time is.
        case commitLast
        /// Forget everything in hand, and give the partitions back.
        case giveUp
        /// Forget everything in hand, and take the present partitions up once more.
        case takeUpAgain
        /// Drop everything in hand, and ask the broker to leave the group.
        case leave
    }

    /// The state of the work in hand, on which the next step depends.
    struct Work {
        /// Whether no call is in flight, and the broker has acknowledged everything that was sent.
        var isDrained: Bool
        /// Whether the last commit of the assignment is still to be answered.
        var isCommitOutstanding: Bool
        /// Whether the broker has left the group.
        var hasLeft: Bool
    }

    /// How long a drain may last.
    private let drainLimit: Duration
    /// How long the last commit may take, and how long leaving the group.
    private let commitLimit: Duration
    private(set) var phase = Phase.idle
    /// The number of assignments so far, for logs and metrics.
    private(set) var epoch: UInt64 = 0
    /// Whether `stop` was called.
    private(set) var isStopping = false
    /// The monotonic time at which the current drain began; nil if there is none.
    private var drainStarted: Int64?

    init(drainLimit: Duration, commitLimit: Duration) {
        self.drainLimit = drainLimit
        self.commitLimit = commitLimit
    }

    // MARK: - Events

    mutating func stop() { self.isStopping = true }

    /// Notes that the group has assigned partitions.
    ///
    /// - Returns: Whether they are taken up. If not, they have to be given back at once: the group waits for
    ///   the answer, and librdkafka cannot leave before it.
    mutating func assigned(_ partitions: [TopicPartition], at now: Moment) -> Bool {
        guard !self.phase.isEnding else { return false }
        self.phase = .assigning(partitions, retryAt: now.monotonic)
        return true
    }

    /// Notes that the group asks for the partitions. Lost partitions are not drained: another member has them
    /// already.
    ///
    /// - Returns: Whether the partitions have to be given up at once.
    mutating func revoked(isLost: Bool, at now: Moment) -> Bool {
        guard !isLost else { return true }
        switch self.phase {
        case .working: self.beginDrain(.revoked, at: now)
        // The engine was draining for another reason. The group is answered first.
        case .draining(let until, _): self.phase = .draining(until: until, .revoked)
        case .committing(let until, _): self.phase = .committing(until: until, .revoked)
        case .idle, .assigning, .leaving, .left: return true
        }
        return false
    }

    /// Notes that the partitions have to be taken up once more. The records in hand are finished first.
    mutating func restart(at now: Moment) {
        if self.phase == .working { self.beginDrain(.restarting, at: now) }
    }

    /// Whether the partitions are drained because they will be taken up again.
    var isRestarting: Bool {
        if case .draining(_, .restarting) = self.phase { true } else { false }
    }

    private mutating func beginDrain(_ why: Draining, at now: Moment) {
        self.phase = .draining(until: now.after(self.drainLimit), why)
        self.drainStarted = now.monotonic
    }

    // MARK: - Steps

    /// Returns the step that is due; nil if the engine has to wait. The engine asks again after each step.
    mutating func nextStep(_ work: Work, at now: Moment) -> Step? {
        if self.isStopping, self.phase == .working { self.beginDrain(.stopping, at: now) }
        switch self.phase {
        case .idle: return self.isStopping ? .leave : nil
        case .assigning where self.isStopping: return .giveUp
        case .assigning(let partitions, let retryAt):
            return now.monotonic >= retryAt ? .takeUp(partitions) : nil
        case .draining(let until, let why):
            guard work.isDrained || now.monotonic >= until else { return nil }
            self.phase = .committing(until: now.after(self.commitLimit), why)
            return .commitLast
        case .committing(let until, let why):
            guard !work.isCommitOutstanding || now.monotonic >= until else { return nil }
            return Self.step(after: why)
        case .leaving(let until):
            if work.hasLeft || now.monotonic >= until { self.phase = .left }
            return nil
        case .working, .left: return nil
        }
    }

    private static func step(after why: Draining) -> Step {
        switch why {
        case .revoked: .giveUp
        case .stopping: .leave
        case .restarting: .takeUpAgain
        }
    }

    /// The monotonic time at which a step may be due without an event; nil if only an event can bring one.
    func nextStepDue(isCommitOutstanding: Bool, at now: Moment) -> Int64? {
        switch self.phase {
        case .assigning(_, let retryAt): retryAt
        case .draining(let until, _): until
        case .committing(let until, _): isCommitOutstanding ? until : now.monotonic
        // librdkafka announces no event when it has left the group, so the engine looks every 10 ms.
        case .leaving: now.after(.milliseconds(10))
        case .idle, .working, .left: nil
        }
    }

    /// Notes that the partitions of `takeUp` were taken up.
    mutating func tookUp() {
        self.epoch += 1
        self.phase = .working
    }

    /// Notes that the committed offsets are not known. The question is repeated a second later.
    mutating func couldNotTakeUp(_ partitions: [TopicPartition], at now: Moment) {
        self.phase = .assigning(partitions, retryAt: now.after(.seconds(1)))
    }

    /// Notes that everything in hand of these partitions was forgotten, so that they can be taken up anew.
    mutating func restarted(_ partitions: [TopicPartition], at now: Moment) {
        self.phase = .assigning(partitions, retryAt: now.monotonic)
    }

    /// Notes that the partitions were given up.
    mutating func gaveUp() {
        if !self.phase.isEnding { self.phase = .idle }
    }

    /// Notes that the broker was asked to leave the group.
    mutating func beganToLeave(at now: Moment) {
        self.phase = .leaving(until: now.after(self.commitLimit))
    }

    /// Ends the current drain, if there is one.
    ///
    /// - Returns: how long it took, in nanoseconds.
    mutating func endDrain(at now: Moment) -> Int64? {
        defer { self.drainStarted = nil }
        return self.drainStarted.map { now.monotonic - $0 }
    }
}
