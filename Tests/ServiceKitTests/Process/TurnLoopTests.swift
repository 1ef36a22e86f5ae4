import EventThread
import Kafka
import Logging
import ServiceKit
import Testing
import WorkerTestSupport

/// The loop around a scripted engine. Its clients know no cluster, so nothing but the test wakes them.
@Suite(.timeLimit(.minutes(10)))
struct TurnLoopTests {
    private struct Broken: Error {}

    /// Takes the steps of its script, one in each turn, and `never` after them or after a stop.
    private struct ScriptedEngine: TurnedEngine {
        let broker: KafkaBroker
        var steps: [NextTurn]
        var upstreamDescriptor: Int32 = -1
        var memoryDescriptor: Int32 = -1
        var isFailing = false
        /// Called in the first turn.
        var begun: () -> Void = {}
        private(set) var turns = 0
        private(set) var stops = 0
        private(set) var rests: [Bool] = []

        init(_ broker: KafkaBroker, _ steps: [NextTurn]) {
            self.broker = broker
            self.steps = steps
        }

        mutating func stop() {
            self.stops += 1
            self.steps = []
        }

        mutating func turn(at now: Moment) throws -> NextTurn {
            if self.isFailing { throw Broken() }
            // A descriptor stays readable until its client is served.
            self.broker.serve { _ in }
            self.turns += 1
            if self.turns == 1 { self.begun() }
            return self.steps.isEmpty ? .never : self.steps.removeFirst()
        }

        mutating func rested(_ hasSlept: Bool) { self.rests.append(hasSlept) }
    }

    private static func withLoop(
        until stop: StopRequest = StopRequest(),
        log: any LogHandler = SwiftLogNoOpLogHandler(),
        _ body: (TurnLoop, KafkaBroker) throws -> Void
    ) throws {
        try KafkaBroker.connected(consumer: ["group.id": "turns"], producer: [:]) { broker in
            try body(TurnLoop(of: broker, until: stop, logger: Logger(label: "turns") { _ in log }), broker)
        }
    }

    @Test func turnsUntilTheEngineHasLeft() throws {
        try Self.withLoop { loop, broker in
            var engine = ScriptedEngine(broker, [.after(.zero), .after(.zero), .after(.seconds(-1))])
            try loop.run(&engine)
            #expect(engine.turns == 4)
            #expect(engine.rests == [false, false, false])
            #expect(engine.stops == 0)
        }
    }

    @Test func sleepsUntilTheNextStepIsDue() throws {
        try Self.withLoop { loop, broker in
            // The clients have a word to say of their missing cluster, which ends the first sleeps.
            var engine = ScriptedEngine(broker, Array(repeating: .after(.milliseconds(50)), count: 20))
            try loop.run(&engine)
            #expect(engine.turns == 21)
            #expect(engine.rests.last == true)
        }
    }

    /// The script lasts for days, so the test ends only if the stop ends a sleep.
    @Test func aStopEndsTheSleepAndReachesTheEngineBeforeItsNextTurn() async throws {
        let stop = StopRequest()
        let stops = try await EventThread.run {
            var stops = 0
            try Self.withLoop(until: stop) { loop, broker in
                var engine = ScriptedEngine(broker, Array(repeating: .after(.seconds(600)), count: 1_000))
                engine.begun = { Task { stop.request() } }
                try loop.run(&engine)
                stops = engine.stops
            }
            return stops
        }
        #expect(stops == 1)
    }

    @Test(arguments: [true, false]) func whatArrivesEndsTheSleep(isOfTheUpstream: Bool) throws {
        let bell = Doorbell()
        bell.ring()
        try Self.withLoop { loop, broker in
            var engine = ScriptedEngine(broker, Array(repeating: .after(.seconds(600)), count: 5))
            if isOfTheUpstream {
                engine.upstreamDescriptor = bell.descriptor
            } else {
                engine.memoryDescriptor = bell.descriptor
            }
            try loop.run(&engine)
            #expect(engine.rests == Array(repeating: false, count: 5))
        }
    }

    @Test func theErrorOfATurnEndsTheLoop() throws {
        try Self.withLoop { loop, broker in
            var engine = ScriptedEngine(broker, [])
            engine.isFailing = true
            #expect(throws: Broken.self) { try loop.run(&engine) }
        }
    }

    @Test func saysThatTheGroupHasNotConfirmedTheEnd() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        try Self.withLoop(log: StreamedLog(continuation)) { loop, broker in
            var engine = ScriptedEngine(broker, [])
            try loop.run(&engine)
        }
        continuation.finish()
        let told = await lines.reduce(into: []) { $0.append($1) }
        #expect(told == ["the group has not confirmed that this worker left "])
    }
}
