import Kafka
import Records
import Simulation
import Testing

@testable import ServiceKit
@testable import WorkerKit

/// Transactions that are undone, and what becomes of their records.
struct EngineTransactionTests {
    /// Nine records of one key stand in one transaction when a tenth breaks it.
    private static func broken(
        undecodable: Int? = nil,
        _ isRefused: @escaping (_ attempt: Int) -> Bool = { _ in false }
    ) throws -> Simulation {
        let simulation = Simulation { settings in
            settings.delivery = .exactlyOnce
            settings.ordering = .key
            settings.commitInterval = .seconds(2)
        }
        for index in 0..<9 {
            simulation.cluster.append(index == undecodable ? "undecodable" : "\(index)", key: "k")
        }
        simulation.cluster.append("breaks", key: "other")
        simulation.reply = {
            SimulatedUpstream.Reply(200, after: .milliseconds($0.value == "breaks" ? 1_000 : 1))
        }
        var attempts = 0
        var hasBroken = false
        simulation.cluster.produceFate = { record in
            if record.key == Array("other".utf8), !hasBroken {
                hasBroken = true
                return .failed(.timedOut, after: .milliseconds(1), isWritten: false)
            }
            attempts += hasBroken ? 1 : 0
            return hasBroken && isRefused(attempts)
                ? .refused(.queueFull) : .acknowledged(after: .milliseconds(1))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(hasBroken)
        #expect(simulation.violations == [])
        return simulation
    }

    private static func order(_ simulation: Simulation) -> [Int64] {
        simulation.cluster.published.filter { $0.topic.hasSuffix("result") && $0.key == Array("k".utf8) }
            .compactMap { SimulatedOutcome($0)?.offset }
    }

    /// Found by `flotilla-lab chaos`, seed 11: what the queue had no room for was overtaken by the next of its key.
    @Test(arguments: 1...9)
    func aFullQueueLetsNobodyOvertakeWhenAllAreSentAgain(refused: Int) throws {
        #expect(Self.order(try Self.broken { $0 == refused }) == Array(0..<9))
    }

    /// The outcome of a dead letter is sent when the broker has the letter.
    @Test func aDeadLetterIsNotOvertakenWhenAllAreSentAgain() throws {
        #expect(Self.order(try Self.broken(undecodable: 3)) == Array(0..<9))
    }

    /// All of it fails at once. If each counted, the wait before the next would be one of seconds.
    @Test func aTransactionThatFailsIsOneFailureHoweverManyRecordsItHas() throws {
        let simulation = Simulation { $0.delivery = .exactlyOnce }
        for index in 0..<60 { simulation.cluster.append("\(index)") }
        simulation.cluster.produceFate = { _ in
            simulation.seconds < 1
                ? .failed(.timedOut, after: .milliseconds(1), isWritten: false)
                : .acknowledged(after: .milliseconds(1))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(3)))
        #expect(simulation.violations == [])
    }

    /// Found by the storms, seed 21756: what a full queue had no room for was sent again while its transaction was being
    /// aborted, came after the end of it, and was in the next one as well as in this.
    @Test func nothingIsSentWhileATransactionEnds() throws {
        let simulation = Simulation { $0.delivery = .exactlyOnce }
        for index in 0..<200 { simulation.cluster.append("\(index)") }
        var random = SplitMix64(seed: 1)
        simulation.cluster.produceFate = { _ in
            guard simulation.seconds < 5 else { return .acknowledged(after: .milliseconds(1)) }
            return switch Int.random(in: 0..<100, using: &random) {
            case 0..<30: .refused(.queueFull)
            case 30..<33: .failed(.timedOut, after: .milliseconds(1), isWritten: true)
            default: .acknowledged(after: .milliseconds(3))
            }
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// Two thousand outcomes that waited for a producer once joined one transaction. Eight at a time, they could not be
    /// written before the cluster ended it, and all were sent again for ever.
    @Test func aShortQueueMakesShortTransactions() throws {
        let simulation = Simulation { $0.delivery = .exactlyOnce }
        var inFlight: [Int64] = []
        simulation.cluster.openFate = { simulation.seconds < 10 ? .timedOut : nil }
        simulation.cluster.produceFate = { _ in
            let now = simulation.clock.now.monotonic
            inFlight.removeAll { $0 <= now }
            guard inFlight.count < 8 else { return .refused(.queueFull) }
            inFlight.append(now + 100_000_000)
            return .acknowledged(after: .milliseconds(100))
        }
        for index in 0..<2_000 { simulation.cluster.append("\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// A producer takes all of them, and the brokers write fifty a second.
    @Test func slowBrokersGetShorterTransactions() throws {
        let simulation = Simulation { $0.delivery = .exactlyOnce }
        var last: Int64 = 0
        simulation.cluster.openFate = { simulation.seconds < 10 ? .timedOut : nil }
        simulation.cluster.produceFate = { _ in
            let now = simulation.clock.now.monotonic
            last = max(now, last) + 20_000_000
            return .acknowledged(after: .nanoseconds(last - now))
        }
        for index in 0..<2_000 { simulation.cluster.append("\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(300)))
        #expect(simulation.violations == [])
    }
}
