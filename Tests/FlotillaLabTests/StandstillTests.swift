import Operations
import Testing

@testable import Trials

/// A worker that stands still has to say so.
struct StandstillTests {
    private let start = ContinuousClock.now

    private func look(_ progress: Int, life: Int = 1, backlog: Int = 3, isReady: Bool = true)
        -> Standstill.Look
    {
        Standstill.Look(life: life, progress: progress, backlog: backlog, isReady: isReady)
    }

    /// Takes looks every five seconds into account.
    private func lengths(_ looks: [Standstill.Look]) -> [Duration] {
        var standstill = Standstill()
        return looks.enumerated().compactMap { number, look in
            standstill.noted(look, at: self.start + .seconds(5 * number))
        }
    }

    @Test func aReadyWorkerThatStandsStillIsToldOnce() {
        #expect(self.lengths(Array(repeating: self.look(7), count: 20)) == [.seconds(50)])
    }

    @Test func twoStandstillsAreToldTwice() {
        let looks = Array(repeating: self.look(7), count: 12) + Array(repeating: self.look(8), count: 12)
        #expect(self.lengths(looks) == [.seconds(50), .seconds(50)])
    }

    @Test func aWorkerThatSaysSoMayStandStill() {
        let silent = Array(repeating: self.look(7), count: 9)
        let says = Array(repeating: self.look(7, isReady: false), count: 20)
        #expect(self.lengths(silent + says).isEmpty)
        // It stands still all the same when it calls itself ready again.
        #expect(self.lengths(says + silent) == [.seconds(100)])
    }

    @Test func progressAnotherProcessAndNothingToDoAreNoStandstill() {
        #expect(self.lengths((0..<30).map { self.look($0 / 8) }).isEmpty)
        #expect(self.lengths((0..<30).map { self.look(7, life: $0 / 8) }).isEmpty)
        #expect(self.lengths((0..<30).map { self.look(7, backlog: $0 % 8) }).isEmpty)
    }

    @Test func aPageOfMetricsIsReadAsALook() {
        let page = """
            worker_ready 1
            messaging_client_consumed_messages_total 10
            worker_records_total{outcome="succeeded"} 7
            worker_records_total{outcome="skipped"} 1
            worker_backlog_records 2
            """
        let look = Standstill.Look(MetricsPage(Array(page.utf8)), life: 4)
        #expect(look == Standstill.Look(life: 4, progress: 18, backlog: 2, isReady: true))
    }
}
