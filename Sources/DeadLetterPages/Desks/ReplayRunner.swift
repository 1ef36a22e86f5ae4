import DeadLetters
import Synchronization

/// Does replays, one at a time, and tells how far the present one is.
///
/// Another one would take the ledger away from the first, so it is refused until that has ended.
final class ReplayRunner: Sendable {
    struct Job: Sendable {
        var plan: ReplayPlan
        var options: ReplayOptions
        var user: String
        var batch: String
    }

    struct Running: Sendable {
        var report: ReplayReport
        var user: String
        var because: String
        var startedAt: Int64
        var isStopping = false
    }

    /// How a replay came to its end.
    struct Ended: Sendable {
        var report: ReplayReport
        /// Where it could not even begin.
        var failure: String?
    }

    private struct State {
        /// Something holds the ledger: a replay, or a discard that has no progress to show.
        var isTaken = false
        var running: Running?
        var ended: [Ended] = []
        var isClosed = false
    }

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

    var running: Running? { self.state.withLock { $0.running } }

    func ended(_ batch: String) -> Ended? {
        self.state.withLock { $0.ended.last { $0.report.batch == batch } }
    }

    /// False if something else is under way.
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

    /// False if this is not the one under way.
    func stop(_ batch: String) -> Bool {
        self.state.withLock { state in
            guard state.running?.report.batch == batch else { return false }
            state.running?.isStopping = true
            return true
        }
    }

    /// Something else holds the ledger.
    struct Taken: Error {}

    /// Does something short that writes to the ledger, if nothing else does.
    func alone<Result: Sendable>(_ body: @escaping @Sendable (Desk) throws -> Result) async throws -> Result {
        try self.state.withLock { state in
            guard !state.isTaken, !state.isClosed else { throw Taken() }
            state.isTaken = true
        }
        defer { self.state.withLock { $0.isTaken = false } }
        return try await self.desk.perform(body)
    }

    /// Works until it is closed, and then until the present replay has stopped.
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

    /// Stops what is under way between two records; the rest stays open for another command.
    func close() {
        self.state.withLock { state in
            state.isClosed = true
            state.running?.isStopping = true
        }
        self.start.finish()
    }

    private func ended(_ job: Job) async -> Ended {
        do {
            let report = try await self.desk.perform { [self] desk in
                desk.user = job.user
                return try desk.replay(
                    job.plan,
                    job.options,
                    batch: job.batch,
                    isStopped: { self.state.withLock { $0.running?.isStopping ?? true } },
                    progress: { report in self.state.withLock { $0.running?.report = report } }
                )
            }
            return Ended(report: report)
        } catch {
            let report = self.running?.report ?? ReplayReport(batch: job.batch, planned: job.plan.items.count)
            return Ended(report: report, failure: "\(error)")
        }
    }
}
