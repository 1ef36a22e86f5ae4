import Operations
import Synchronization
import Testing
import WorkerKit

@testable import StreamKit

struct StreamCrewTests {
    private let clock = Clock()

    @Test func theWorkerIsAliveOnlyWhileEachThreadTurns() {
        let (crew, health) = self.crew(threads: 2)
        for _ in 0..<4 {
            self.clock.advance(by: .seconds(8))
            crew.turned(0, processed: 0, unreadiness: nil)
            crew.turned(1, processed: 0, unreadiness: nil)
        }
        #expect(health.liveness == .alive)
        for _ in 0..<4 {
            self.clock.advance(by: .seconds(8))
            crew.turned(0, processed: 0, unreadiness: nil)
        }
        #expect(health.liveness != .alive, "one thread has not turned for 32 seconds")
        crew.turned(1, processed: 0, unreadiness: nil)
        #expect(health.liveness == .alive)
    }

    @Test func aThreadThatHasEndedIsNotWaitedFor() {
        let (crew, health) = self.crew(threads: 2)
        crew.ended(1)
        for _ in 0..<4 {
            self.clock.advance(by: .seconds(8))
            crew.turned(0, processed: 0, unreadiness: nil)
        }
        #expect(health.liveness == .alive)
    }

    @Test func theWorkerIsReadyOnceEachThreadIs() {
        let (crew, health) = self.crew(threads: 2)
        crew.turned(0, processed: 0, unreadiness: nil)
        #expect(health.readiness == .starting)
        crew.turned(1, processed: 0, unreadiness: "reading back the state")
        #expect(health.readiness == .notReady(reason: "reading back the state"))
        crew.turned(0, processed: 0, unreadiness: nil)
        #expect(health.readiness == .notReady(reason: "reading back the state"))
        crew.turned(1, processed: 0, unreadiness: nil)
        #expect(health.readiness == .ready)
    }

    @Test func allThreadsStopOnceTheirRecordsAreEnoughTogether() {
        let (crew, _) = self.crew(threads: 2, records: 10)
        crew.turned(0, processed: 6, unreadiness: nil)
        #expect(crew.threads.allSatisfy { !crew.stop(of: $0).isRequested })
        crew.turned(1, processed: 4, unreadiness: nil)
        #expect(crew.threads.allSatisfy { crew.stop(of: $0).isRequested })
    }

    @Test func theReportIsOfAllThreads() {
        let lines = Lines()
        let (crew, _) = self.crew(threads: 2) { lines.add($0) }
        crew.turned(0, processed: 6, unreadiness: nil)
        crew.turned(1, processed: 4, unreadiness: nil)
        crew.report(of: "worker")
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains(#""records":10,"#) == true)
    }

    @Test func theThreadsShareTheMemory() {
        let settings = StreamSettings(threads: 4, memoryLimit: 1_000)
        #expect(settings.ofOneThread.memoryLimit == 250)
    }

    // MARK: - Support

    private func crew(
        threads: Int,
        records: Int? = nil,
        report: (@Sendable (String) -> Void)? = nil
    ) -> (StreamCrew, Health) {
        let clock = self.clock
        let health = Health(longestSilence: .seconds(30)) { clock.now }
        let bound = RunBound(records: records, report: report)
        return (StreamCrew(threads: threads, health: health, bound: bound), health)
    }
}

/// A clock that goes when it is told to.
private final class Clock: Sendable {
    private let time = Mutex(Duration.zero)

    var now: Duration { self.time.withLock { $0 } }

    func advance(by step: Duration) { self.time.withLock { $0 += step } }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { self.lines.withLock { $0 } }

    func add(_ line: String) { self.lines.withLock { $0.append(line) } }
}
