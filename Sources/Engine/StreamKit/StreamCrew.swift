import EventThread
import Operations
import ServiceKit
import Synchronization

/// The threads of one service and their common state: the worker is alive while each of them turns, and ready
/// while each of them takes work.
final class StreamCrew: Sendable {
    private struct State {
        /// The threads that have not ended.
        var turning: Set<Int>
        /// The threads that have made no turn since health was last told that the worker is alive.
        var silent: Set<Int>
        /// By thread: whether it has made a turn at all, and why it takes no work.
        var hasTurned: [Bool]
        var unreadiness: [String?]
        /// By thread: whether it has read its partitions up to the bound of the run.
        var isAtBound: [Bool]
        var processed: Int64 = 0
        var usage = UsageMeter()
    }

    private let stops: [StopRequest]
    private let health: Health
    let bound: RunBound
    /// The records that the bound of the run still allows to take in; nil without a bound.
    let quota: RecordQuota?
    private let state: Mutex<State>
    /// The lead of this machine's clock over the brokers', once a thread has asked for it.
    private let lead = Mutex<Int64?>(nil)

    init(threads: Int, health: Health, bound: RunBound) {
        self.stops = (0..<threads).map { _ in StopRequest() }
        self.health = health
        self.bound = bound
        self.quota = bound.records.map { RecordQuota($0) }
        self.state = Mutex(
            State(
                turning: Set(0..<threads),
                silent: Set(0..<threads),
                hasTurned: Array(repeating: false, count: threads),
                unreadiness: Array(repeating: nil, count: threads),
                isAtBound: Array(repeating: false, count: threads)
            )
        )
    }

    /// Runs a body for each thread, on a thread of its own, until all have ended. If one fails, the others
    /// are asked to stop in good order.
    ///
    /// - Throws: The error of the first that failed.
    func run(_ body: @escaping @Sendable (Int) throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for number in self.threads {
                group.addTask {
                    defer { self.ended(number) }
                    try await EventThread.run { try body(number) }
                }
            }
            do {
                for try await _ in group {}
            } catch {
                self.requestStop()
                throw error
            }
        }
    }

    var threads: Range<Int> { self.stops.indices }

    /// Returns the milliseconds by which the clock is ahead of the brokers'. The first thread asks, for all.
    func clockLead(asking ask: () -> Int64) -> Int64 {
        self.lead.withLock { lead in
            let known = lead ?? ask()
            lead = known
            return known
        }
    }

    /// Returns the stop request of a thread. A bell can wake one thread only, so each has its own.
    func stop(of thread: Int) -> StopRequest { self.stops[thread] }

    func requestStop() { for stop in self.stops { stop.request() } }

    /// Notes a turn of a thread. Called in every turn of its loop.
    ///
    /// - Parameters:
    ///   - processed: The records that the thread has processed since its last turn.
    ///   - unreadiness: The reason why the thread takes no work; nil if it does.
    ///   - isAtBound: Whether the thread has read its partitions up to the bound of the run, and committed them. The
    ///     run ends when all have.
    func turned(_ thread: Int, processed: Int64, unreadiness: String?, isAtBound: Bool) {
        let isEnough = self.state.withLock { state in
            state.silent.remove(thread)
            if state.silent.isEmpty {
                state.silent = state.turning
                self.health.beat()
            }
            if !state.hasTurned[thread] || state.unreadiness[thread] != unreadiness {
                state.hasTurned[thread] = true
                state.unreadiness[thread] = unreadiness
                self.tellReadiness(state)
            }
            if processed > 0 {
                state.processed += processed
                state.usage.note(settled: Int(state.processed), inHand: 0)
            }
            state.isAtBound[thread] = isAtBound
            return state.isAtBound.allSatisfy(\.self)
                || processed > 0 && self.bound.records.map { state.processed >= $0 } ?? false
        }
        if isEnough { self.requestStop() }
    }

    /// Notes that a thread has come to its end, so that its turns are not waited for any more.
    private func ended(_ thread: Int) {
        self.state.withLock { state in
            state.turning.remove(thread)
            state.silent.remove(thread)
        }
    }

    private func tellReadiness(_ state: State) {
        guard state.hasTurned.allSatisfy(\.self) else { return }
        let reason = state.unreadiness.lazy.compactMap(\.self).first
        self.health.become(reason.map { .notReady(reason: $0) } ?? .ready)
    }

    /// Reports on the run, once all threads have ended as they should.
    func report(of program: String) {
        guard let report = self.bound.report else { return }
        report(self.state.withLock { $0.usage.summary(of: program) })
    }
}
