import EventThread
import Operations
import ServiceKit
import Synchronization
import Testing

@testable import StreamKit

/// The limit is for threads that wait for ever: a busy machine may take minutes to begin their tasks.
@Suite(.timeLimit(.minutes(15))) struct StreamCrewTests {
    private let clock = Clock()

    @Test func theWorkerIsAliveOnlyWhileEachThreadTurns() {
        let (crew, health) = self.crew(threads: 2)
        for _ in 0..<4 {
            self.clock.advance(by: .seconds(8))
            crew.turned(0, processed: 0, unreadiness: nil, isAtBound: false)
            crew.turned(1, processed: 0, unreadiness: nil, isAtBound: false)
        }
        #expect(health.liveness == .alive)
        for _ in 0..<4 {
            self.clock.advance(by: .seconds(8))
            crew.turned(0, processed: 0, unreadiness: nil, isAtBound: false)
        }
        #expect(health.liveness != .alive, "one thread has not turned for 32 seconds")
        crew.turned(1, processed: 0, unreadiness: nil, isAtBound: false)
        #expect(health.liveness == .alive)
    }

    @Test func aThreadThatHasEndedIsNotWaitedFor() async throws {
        let (crew, health) = self.crew(threads: 2)
        let stop = crew.stop(of: 1)
        let clock = self.clock
        try await crew.run { thread in
            // The second thread is the one to be woken; the first has ended by then or will end soon.
            guard thread == 1 else { return stop.request() }
            var wait = Wait(on: [stop.bell.descriptor])
            while !stop.isRequested { wait(atMost: .seconds(60)) }
            // The end of the first thread is noted by a task, which may have to wait for its turn on a busy machine.
            var pause = Wait(on: [])
            repeat {
                pause(atMost: .milliseconds(2))
                clock.advance(by: .seconds(31))
                crew.turned(1, processed: 0, unreadiness: nil, isAtBound: false)
            } while health.liveness != .alive
        }
    }

    @Test func oneThreadsFailureStopsTheOthersAndIsWhatIsTold() async {
        struct Failure: Error, Equatable { let thread: Int }
        let (crew, _) = self.crew(threads: 3)
        await #expect(throws: Failure(thread: 1)) {
            try await crew.run { thread in
                guard thread != 1 else { throw Failure(thread: 1) }
                let stop = crew.stop(of: thread)
                var wait = Wait(on: [stop.bell.descriptor])
                while !stop.isRequested { wait(atMost: .seconds(60)) }
                throw Failure(thread: thread)
            }
        }
    }

    @Test func theWorkerIsReadyOnceEachThreadIs() {
        let (crew, health) = self.crew(threads: 2)
        crew.turned(0, processed: 0, unreadiness: nil, isAtBound: false)
        #expect(health.readiness == .starting)
        crew.turned(1, processed: 0, unreadiness: "reading back the state", isAtBound: false)
        #expect(health.readiness == .notReady(reason: "reading back the state"))
        crew.turned(0, processed: 0, unreadiness: nil, isAtBound: false)
        #expect(health.readiness == .notReady(reason: "reading back the state"))
        crew.turned(1, processed: 0, unreadiness: nil, isAtBound: false)
        #expect(health.readiness == .ready)
    }

    @Test func allThreadsStopOnceTheirRecordsAreEnoughTogether() {
        let (crew, _) = self.crew(threads: 2, records: 10)
        crew.turned(0, processed: 6, unreadiness: nil, isAtBound: false)
        #expect(crew.threads.allSatisfy { !crew.stop(of: $0).isRequested })
        crew.turned(1, processed: 4, unreadiness: nil, isAtBound: false)
        #expect(crew.threads.allSatisfy { crew.stop(of: $0).isRequested })
    }

    /// A thread whose partitions are taken back is not at its bound any more.
    @Test func allThreadsStopOnceEachIsAtItsBound() {
        let (crew, _) = self.crew(threads: 2)
        for (thread, isAtBound) in [(0, true), (0, false), (1, true), (1, true)] {
            crew.turned(thread, processed: 1, unreadiness: nil, isAtBound: isAtBound)
            #expect(crew.threads.allSatisfy { !crew.stop(of: $0).isRequested })
        }
        crew.turned(0, processed: 0, unreadiness: nil, isAtBound: true)
        #expect(crew.threads.allSatisfy { crew.stop(of: $0).isRequested })
    }

    @Test func theReportIsOfAllThreads() {
        let lines = Lines()
        let (crew, _) = self.crew(threads: 2) { lines.add($0) }
        // The records of the turns that end the run count too.
        crew.turned(0, processed: 6, unreadiness: nil, isAtBound: true)
        crew.turned(1, processed: 4, unreadiness: nil, isAtBound: true)
        crew.report(of: "worker")
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains(#""records":10,"#) == true)
    }

    @Test func theThreadsShareTheMemory() {
        let budget = MemoryBudget(limit: 1_000)
        budget.change(from: self.part(), to: self.part(600))
        budget.change(from: self.part(), to: self.part(400))
        #expect(!budget.isExceeded)
        budget.change(from: self.part(400), to: self.part(401))
        #expect(budget.isExceeded)
        budget.change(from: self.part(600), to: self.part())
        #expect(!budget.isExceeded)
    }

    /// A flood falls on one state. The others give up nothing for it, as long as there is room.
    @Test func aStateThatTakesLittleIsNotCrowded() {
        let budget = MemoryBudget(limit: 1_000)
        budget.change(from: self.part(), to: self.part(400, 50, 0))
        #expect(![400, 50, 0].contains { budget.isCrowded($0) })
        budget.change(from: self.part(), to: self.part(51))
        #expect([400, 51, 50, 0].map { budget.isCrowded($0) } == [true, false, false, false])
        // One state alone, and equal ones, are all that can give something up.
        budget.change(from: self.part(400, 50, 0), to: self.part(500))
        budget.change(from: self.part(51), to: self.part())
        budget.change(from: self.part(), to: self.part(1))
        #expect(budget.isCrowded(500))
        budget.change(from: self.part(500), to: self.part(300, 300))
        #expect(budget.isCrowded(300))
        // Near the limit everybody gives something up, or nothing would be read any more.
        budget.change(from: self.part(300, 300), to: self.part(750, 50))
        #expect([750, 50, 1].map { budget.isCrowded($0) } == [true, true, true])
        #expect(budget.excess(750) == 0)
        // Beyond it each gives up its part of what is above three quarters.
        budget.change(from: self.part(750, 50), to: self.part(900, 300))
        #expect([900, 300, 0].map { budget.excess($0) } == [337, 112, 0])
        // A state that is read back could give up nothing, and the others would pay for it.
        var readBack = self.part()
        readBack.add(40, isRestoring: true)
        budget.change(from: self.part(), to: readBack)
        #expect(budget.isExceeded && budget.excess(900) == 0)
        budget.change(from: readBack, to: self.part(40))
        #expect(budget.excess(900) > 337)
        // Memory has a bound all the same.
        readBack.add(20)
        budget.change(from: self.part(40), to: readBack)
        #expect(budget.excess(900) > 337)
    }

    private func part(_ bytes: Int...) -> MemoryBudget.Part {
        var part = MemoryBudget.Part()
        for bytes in bytes { part.add(bytes) }
        return part
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
