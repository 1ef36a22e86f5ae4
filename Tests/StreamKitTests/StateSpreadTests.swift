import Kafka
import Operations
import Records
import ServiceKit
import Simulation
import Testing

@testable import StreamKit

/// A state belongs to the number of partitions with which it was written. An operator once added partitions to a
/// changelog, and devices counted twice without a word.
struct StateSpreadTests {
    private static let four = StateSpread(of: "log", partitions: 4, limit: nil)

    private static func record(_ spread: StateSpread?, offset: Int64 = 0, in partition: Int32 = 0)
        -> InboundRecord
    {
        InboundRecord(
            topic: "log",
            partition: partition,
            offset: offset,
            headers: spread.map { [$0.recordHeader] } ?? []
        )
    }

    @Test func aRecordOfAnotherNumberIsRefusedWithBothNumbersAndARemedy() throws {
        let six = StateSpread(of: "log", partitions: 6, limit: nil)
        let failure = try #require(six.failure(of: Self.record(Self.four)))
        #expect(!failure.mayPass)
        for words in ["'log'", "with 6 partitions", "written with 4", "kafka.changelog_partitions to 4"] {
            #expect(failure.description.contains(words), "\(failure)")
        }
    }

    /// A record of an older version has no number, and anybody can write bytes.
    @Test(arguments: [nil, [], Array("x".utf8), Array("4 ".utf8), [0xFF]] as [[UInt8]?])
    func aRecordThatTellsNoNumberIsTaken(value: [UInt8]?) {
        var record = Self.record(nil)
        #expect(Self.four.failure(of: record) == nil)
        record.headers = [RecordHeader(StateSpread.headerName, value)]
        #expect(Self.four.failure(of: record) == nil)
    }

    private static func spread(_ homes: Int, _ partitioner: Partitioner?) -> StateSpread {
        StateSpread(of: "log", partitions: homes, limit: nil, by: partitioner)
    }

    /// Another function moves the homes of devices as another number does.
    @Test func aStateOfAnotherPartitionerIsRefused() throws {
        let own = Self.spread(4, .murmur2)
        #expect(own.failure(of: Self.record(Self.spread(4, .murmur2))) == nil)
        // A record that names none was written where no setting decides about it.
        #expect(own.failure(of: Self.record(Self.spread(4, nil))) == nil)
        #expect(Self.spread(4, nil).failure(of: Self.record(own)) == nil)
        let function = try #require(own.failure(of: Self.record(Self.spread(4, .crc32))))
        #expect(function.description.contains("4 partitions and murmur2"))
        #expect(function.description.contains("with 4 and crc32"))
        #expect(function.description.contains("Set kafka.partitioner to crc32 in all"))
        let both = try #require(own.failure(of: Self.record(Self.spread(6, .crc32))))
        #expect(
            both.description.contains("Set kafka.changelog_partitions to 6 and kafka.partitioner to crc32 in")
        )
    }

    /// Messages and logs repeat nothing that somebody else has written.
    @Test(arguments: ["6 evil", "6 crc32 x", "6  crc32"])
    func onlyKnownWordsAreRepeated(value: String) throws {
        var record = Self.record(nil)
        record.headers = [RecordHeader(StateSpread.headerName, value)]
        let failure = try #require(Self.spread(4, .murmur2).failure(of: record))
        #expect(failure.description.contains("Set kafka.changelog_partitions to 6 in all"))
        #expect(!failure.description.contains("evil") && !failure.description.contains("crc32"))
    }

    @Test func thePartsNameTheirOwnSetting() throws {
        let own = StateSpread(of: "log", as: .parts, partitions: 6, limit: nil)
        let other = StateSpread(of: "log", as: .parts, partitions: 3, limit: nil)
        let failure = try #require(own.failure(of: Self.record(other)))
        #expect(failure.description.contains("The parts topic 'log'"))
        #expect(failure.description.contains("Set kafka.parts_partitions to 3 in"))
    }

    @Test func theSettingKeepsTheOldNumber() {
        let kept = StateSpread(of: "log", partitions: 6, limit: 4)
        #expect(kept.homes == 4 && kept.failure(of: Self.record(Self.four)) == nil)
        #expect(StateSpread(of: "log", partitions: 0, limit: nil).homes == 1)
    }

    // MARK: - Before the start

    private static func check(_ memory: ScriptedMemory, partitions: Int = 4) throws {
        try Self.four.check(memory, partitions: partitions, atMost: .milliseconds(50), pausingOn: -1)
    }

    @Test func aChangelogOfThisNumberIsTaken() throws {
        let memory = ScriptedMemory((0..<3).map { Self.record(Self.four, offset: $0) })
        try Self.check(memory)
        #expect(memory.isStopped)
        try Self.check(ScriptedMemory([]))
    }

    /// Partitions that were added are empty, so each partition is looked at.
    @Test(arguments: 0..<4 as Range<Int32>)
    func oneRecordOfAnotherNumberInAnyPartitionKeepsAWorkerFromStarting(partition: Int32) {
        let six = StateSpread(of: "log", partitions: 6, limit: nil)
        let memory = ScriptedMemory([
            Self.record(Self.four, in: (partition + 1) % 4), Self.record(six, in: partition),
        ])
        #expect(throws: PreflightFailure.self) { try Self.check(memory) }
        #expect(memory.isStopped)
    }

    /// A state can be many gigabytes.
    @Test func onlyTheLastRecordsAreReadBeforeTheStart() throws {
        let memory = ScriptedMemory((0..<1_000).map { Self.record(Self.four, offset: $0) })
        try Self.check(memory)
        #expect(memory.startedAt == [936])
    }

    /// A worker that knows nothing of the state must not begin to count.
    @Test func aChangelogThatIsNotShownIsNoEmptyOne() {
        let memory = ScriptedMemory([Self.record(Self.four)])
        memory.isSilent = true
        #expect(throws: KafkaError.self) { try Self.check(memory) }
    }

    // MARK: - At work

    private static func spread(_ partitions: Int) -> StateSpread {
        StateSpread(of: "work.changelog", partitions: partitions, limit: nil)
    }

    /// The look before the start can miss a record, and another worker can write with another number afterwards.
    @Test func aStateOfAnotherNumberIsFoundWhileItIsReadBack() throws {
        let simulation = StreamSimulation()
        simulation.spread = Self.spread(4)
        let first = simulation.startWorker()
        simulation.append(0..<20)
        try simulation.expectEverythingSettled()
        simulation.kill(first)
        simulation.spread = Self.spread(6)
        simulation.append(10..<30)
        let second = simulation.startWorker()
        #expect(try simulation.run(for: .seconds(30)) { second.engine.refusal != nil })
        #expect(second.engine.refusal?.description.contains("written with 4") == true)
        // It is not stopped here, and takes in nothing all the same.
        try simulation.run(for: .seconds(30))
        #expect(second.engine.processedRecords == 0)
        simulation.kill(second)
        simulation.spread = Self.spread(4)
        let third = simulation.startWorker()
        try simulation.expectEverythingSettled()
        #expect(third.engine.refusal == nil)
    }

    @Test func aStateOfAnOlderVersionIsTakenOver() throws {
        let simulation = StreamSimulation()
        let first = simulation.startWorker()
        simulation.append(0..<20)
        try simulation.expectEverythingSettled()
        simulation.kill(first)
        simulation.spread = Self.spread(4)
        let second = simulation.startWorker()
        simulation.append(10..<30)
        try simulation.expectEverythingSettled()
        #expect(second.engine.refusal == nil && second.restores > 0)
    }
}

/// A changelog in memory, which is read in one go.
private final class ScriptedMemory: MemoryReader {
    private let records: [InboundRecord]
    private var positions: [TopicPartition: Int64] = [:]
    private var isRead = false
    private(set) var startedAt: [Int64] = []
    private(set) var isStopped = false
    /// Whether no record arrives.
    var isSilent = false

    init(_ records: [InboundRecord]) { self.records = records }

    func ends(of partitions: [TopicPartition]) throws(KafkaError) -> [TopicPartition: Int64] {
        Dictionary(
            partitions.map { partition in
                let own = self.records.filter { $0.partition == partition.partition }
                return (partition, (own.last?.offset ?? -1) + 1)
            }
        ) { $1 }
    }

    func start(at offsets: [TopicPartition: Int64]) throws(KafkaError) {
        self.positions = offsets
        self.startedAt = offsets.values.sorted()
    }

    func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        guard !self.isSilent, !self.isRead else { return 0 }
        self.isRead = true
        var taken = 0
        for record in self.records {
            let place = TopicPartition(topic: record.topic, partition: record.partition)
            guard let position = self.positions[place], record.offset >= position else { continue }
            take(record)
            taken += 1
        }
        return taken
    }

    func readEnd(of partition: TopicPartition) -> Int64? { nil }

    func stop() throws(KafkaError) { self.isStopped = true }

    func dropReports() {}
}
