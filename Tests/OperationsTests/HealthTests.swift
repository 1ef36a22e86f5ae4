import Operations
import Synchronization
import Testing

/// A clock that stands until it is moved.
final class ManualClock: Sendable {
    private let milliseconds = Atomic<Int>(0)

    var uptime: @Sendable () -> Duration {
        { .milliseconds(self.milliseconds.load(ordering: .relaxed)) }
    }

    func advance(seconds: Int) {
        self.milliseconds.wrappingAdd(seconds * 1_000, ordering: .relaxed)
    }
}

struct HealthTests {
    let clock = ManualClock()

    @Test func staysAliveWhileTheEngineBeats() {
        let health = Health(longestSilence: .seconds(30), uptime: self.clock.uptime)
        self.clock.advance(seconds: 30)
        #expect(health.liveness == .alive)
        self.clock.advance(seconds: 1)
        #expect(health.liveness == .stalled(reason: "no sign of the engine for 31 s"))
        health.beat()
        #expect(health.liveness == .alive)
    }

    @Test func drainingIsTheEnd() {
        let health = Health(uptime: self.clock.uptime)
        #expect(health.readiness == .starting)
        health.become(.ready)
        health.become(.notReady(reason: "no broker"))
        #expect(health.readiness == .notReady(reason: "no broker"))
        health.become(.draining)
        health.become(.ready)
        #expect(health.readiness == .draining)
    }
}
