import DeadLetters
import Synchronization

/// Runs replays, one at a time, and tells the progress of the present one.
///
/// Each replay fences the one before it in the ledger, so a second one is refused until the first has ended.
/// Any thread may use it; the work is done on the desk's thread.
final class ReplayRunner: Sendable {
    /// A replay that a user has confirmed.
    struct Job: Sendable {
        var plan: ReplayPlan
        var options: ReplayOptions
        var user: String
        var batch: String
    }

    /// The present replay, for the pages.
    struct Running: Sendable {
        var report: ReplayReport
        var user: String
        var because: String
        var startedAt: Int64
        var isStopping = false
    }

    /// The result of a replay that has ended.
    struct Ended: Sendable {
        var report: ReplayReport
        /// The error that kept the replay from beginning; nil if it began.
        var failure: String?
    }

    /// The state that all threads share.
    private struct State {
        /// Whether a replay or a discard is under way. A discard has no entry in `running`.
        var isTaken = false
        var running: Running?
        var ended: [Ended] = []
        var isClosed = false
    }

    /// The number of ended replays whose results are kept.
    private static let endedLimit = 50

    private let desk: DeskThread
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())
    private let jobs: AsyncStream<Job>
    private let start: AsyncStream<Job>.Continuation

    init(_ desk: DeskThread, now: @escaping @Sendable () -> Int64) {
        self.desk = desk
        self.now = now
        (self.jobs, self.start) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// The present replay; nil if there is none.
    var running: Running? { self.state.withLock { $0.running } }

    /// Returns the result of a replay of this process by its batch id; nil if it is not among the latest 50.
    func ended(_ batch: String) -> Ended? {
        self.state.withLock { $0.ended.last { $0.report.batch == batch } }
    }

    /// Begins a replay; returns false if another replay or a discard is under way, or the server stops.
    func begin(_ job: Job) -> Bool {
        let running = Running(
            report: ReplayReport(batch: job.batch, planned: job.plan.items.count),
            user: job.user,
            because: job.options.because,
            startedAt: self.now()
        )
        let isFree = self.state.withLock { state in
            guard !state.isTaken, !state.isClosed else { return false }
            state.isTaken = true
            state.running = running
            return true
        }
        if isFree { self.start.yield(job) }
        return isFree
    }

    /// Asks the present replay to stop after its present transaction; returns false if the batch id is not
    /// that of the present replay.
    func stop(_ batch: String) -> Bool {
        self.state.withLock { state in
            guard state.running?.report.batch == batch else { return false }
            state.running?.isStopping = true
            return true
        }
    }

    /// The error of a job that cannot begin, because a replay or a discard is under way or the server stops.
    struct Taken: Error {}

    /// Runs a short job that writes to the ledger, while no replay can begin.
    ///
    /// - Throws: `Taken` if a replay or another such job is under way; `DeskThread.Busy`,
    ///   `DeskThread.Closed`, or the error of `body`.
    func alone<Result: Sendable>(_ body: @escaping @Sendable (Desk) throws -> Result) async throws -> Result {
        try self.state.withLock { state in
            guard !state.isTaken, !state.isClosed else { throw Taken() }
            state.isTaken = true
        }
        defer { self.state.withLock { $0.isTaken = false } }
        return try await self.desk.perform(body)
    }

    /// Runs the replays that are begun, until `close()` is called and the present one has stopped.
    func run() async {
        for await job in self.jobs {
            let ended = await self.ended(job)
            self.state.withLock { state in
                state.running = nil
                state.isTaken = false
                state.ended = state.ended.suffix(Self.endedLimit - 1) + [ended]
            }
        }
    }

    /// Stops the present replay after its present transaction, and accepts no more. The letters that are left
    /// stay open for another command.
    func close() {
        self.state.withLock { state in
            state.isClosed = true
            state.running?.isStopping = true
        }
        self.start.finish()
    }

    /// Runs a replay to its end.
    private func ended(_ job: Job) async -> Ended {
        do {
            let report = try await self.desk.perform { [self] desk in
                desk.user = job.user
                return try desk.replay(
                    job.plan,
                    job.options,
                    as: job.options.edit == nil ? .replay : .edit,
                    batch: job.batch,
                    isStopped: { self.state.withLock { $0.running?.isStopping ?? true } },
                    // The button has told the trail before.
                    because: { self.state.withLock { $0.isClosed ? "the pages are being stopped" : nil } },
                    progress: { report in self.state.withLock { $0.running?.report = report } }
                )
            }
            return Ended(report: report)
        } catch {
            let report = self.running?.report ?? ReplayReport(batch: job.batch, planned: job.plan.items.count)
            return Ended(report: report, failure: ErrorWords.text(error))
        }
    }
}
