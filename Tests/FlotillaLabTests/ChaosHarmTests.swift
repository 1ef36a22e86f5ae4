import Records
import ServiceKit
import Testing
import WireFormats
import WorkerKit

@testable import Harness
@testable import Trials

/// The harms that a chaos run's adversary publishes, and the judgement of partitions that a topic gets.
struct ChaosHarmTests {
    private static let old = ChaosCluster.partitions

    private static func inputs(_ seconds: Int, grownAfter growth: Int? = nil) -> [LoadInput] {
        let options = ChaosOptions(
            length: .seconds(seconds),
            seed: 1,
            delivery: .exactlyOnce,
            workers: 3,
            rate: 100,
            hasAdversary: true
        )
        var random = SplitMix64(seed: 1)
        var source = ActivationInputs(topic: "work", options)
        return (0..<seconds * 100).map { number in
            if number / 100 == growth { source.grew(to: ChaosSchedule.partitions) }
            return source.next(at: .milliseconds(number * 10), using: &random)
        }
    }

    @Test func aRunHasEachHarm() {
        let kinds = Dictionary(grouping: Self.inputs(60), by: \.kind).mapValues(\.count)
        // Three floods fit into the part of the run in which harm is done.
        #expect(kinds[.oversized] == 3 && kinds[.longKey] == 3)
        #expect((kinds[.empty] ?? 0) > 50)
        #expect((kinds[.largeAnswer] ?? 0) > 0 && (kinds[.poison] ?? 0) > 0)
        #expect((kinds[.lateAccount] ?? 0) > 50)
        #expect((kinds[.longAgo] ?? 0) > 0 && (kinds[.farAhead] ?? 0) > 0)
    }

    /// The memory of a broker does not suffice for more.
    @Test func largeRecordsAreFewInALongRun() {
        let kinds = Dictionary(grouping: Self.inputs(1_500), by: \.kind).mapValues(\.count)
        #expect(kinds[.oversized] == 50 && kinds[.longKey] == 50)
    }

    /// With the frame of a batch, the topic takes them, and nothing that is much larger.
    @Test(arguments: [InputKind.oversized, .longKey])
    func largeRecordsAreNearlyAsLargeAsTheTopicTakes(kind: InputKind) {
        var make = Activations(topic: "work", now: 1_763_000_000_000)
        var record = kind.record(&make)
        record.key = kind.key(ChaosAdversary.keys - 1)
        #expect(
            (InputKind.largestBatch - 1_000..<InputKind.largestBatch - 61).contains(record.encodedBytesBound)
        )
    }

    /// The order of such a key could not be judged: no answer shows when the record is dead.
    @Test func whatIsNeverAnsweredHasAKeyOfItsOwn() {
        let loners = Self.inputs(60).filter { [.poison, .largeAnswer, .longKey].contains($0.kind) }
        #expect(Set(loners.map(\.key)).count == loners.count)
    }

    /// A key keeps its partition when the topic grows, and the new partitions have keys of their own, which are timed.
    @Test func onlyNewcomersPublishToNewPartitions() throws {
        let inputs = Self.inputs(60, grownAfter: 20)
        var homes: [Int: Int32] = [:]
        for input in inputs {
            let partition = try #require(input.record.partition)
            #expect(homes.updateValue(partition, forKey: input.key) ?? partition == partition)
            let isNew = partition >= Self.old
            #expect(isNew == ChaosAdversary.isNewcomer(key: input.key))
            #expect(!isNew || input.isHonest)
        }
        #expect(Set(homes.values) == Set(0..<Int32(ChaosSchedule.partitions)))
        #expect(Self.inputs(20).allSatisfy { !ChaosAdversary.isNewcomer(key: $0.key) })
    }

    // MARK: - New partitions

    @Test(arguments: [(29_000, 0), (31_000, 1)] as [(Int64, Int)])
    func findsNewPartitionsThatAreReadTooLate(wait: Int64, late: Int) {
        var partitions = NewPartitions(after: 8)
        partitions.sent(to: 8, at: 1_000)
        partitions.sent(to: 8, at: 40_000)
        partitions.sent(to: 7, at: 0)
        partitions.settled(in: 8, at: 50_000)
        partitions.settled(in: 8, at: 1_000 + wait)
        #expect(partitions.lateOnes.count == late)
        #expect(partitions.waits == [.milliseconds(wait)] && partitions.count == 1)
    }

    @Test func findsANewPartitionThatIsNeverRead() {
        var make = Activations(topic: "work", now: 1_763_000_000_000)
        var audit = ChaosAudit(topic: "work", keys: 1, delivery: .exactlyOnce)
        let number = audit.sent(InputKind.json.record(&make), .json, key: 0, at: 1_000)
        audit.delivered(number, to: Int32(Self.old), at: 0)
        audit.conclude()
        #expect(audit.findings.count(.notTakenUp) == 1 && audit.findings.count(.lost) == 1)
        #expect(audit.newPartitions.waits == [])
    }
}
