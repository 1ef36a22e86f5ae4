import Kafka
import Records
import Testing

@testable import DeadLetters

/// All records of the topics get into the index: each once, and for no longer than it is in its topic.
@Suite(.timeLimit(.minutes(10))) struct ClusterReaderTests {
    /// How many records a refresh looks at, of letters alone.
    private static func refresh(_ reader: ClusterReader) throws -> Int64 {
        var total: Int64 = 0
        try reader.refresh { total = $0.done }
        return total
    }

    private static func numbers(_ reader: ClusterReader) throws -> [Int64] {
        try reader.index.letters(LetterFilter(), mark: reader.mark, limit: 10_000)
            .compactMap(\.source?.offset).sorted()
    }

    @Test func readsEverythingOnceAndThenOnlyWhatIsNew() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<30)
            let reader = try cluster.reader()
            #expect(try Self.refresh(reader) == 30)
            #expect(try Self.refresh(reader) == 0)
            try cluster.publishLetters(30..<37)
            #expect(try Self.refresh(reader) == 7)
            #expect(try Self.numbers(reader) == Array(0..<37))
            // The next process goes on where this one was.
            let next = try cluster.reader()
            #expect(try Self.refresh(next) == 0)
            #expect(try Self.numbers(next) == Array(0..<37))
        }
    }

    @Test func readsTopicsThatItsPatternsName() async throws {
        let topics = ["orders", "a.dead-letter", "b.dead-letter", "b.dlq", "dead-letters.ledger"]
        try await ClusterUnderTest.with(topics: topics) { cluster in
            for (index, topic) in topics.dropFirst().enumerated() {
                let start = Int64(index) * 10
                try cluster.publishLetters(start..<start + 3, in: topic)
            }
            let reader = try cluster.reader { $0.topics = ["*.dead-letter", "*ledger"] }
            #expect(try reader.refresh().keys.sorted() == ["a.dead-letter", "b.dead-letter"])
            #expect(try Self.numbers(reader) == [0, 1, 2, 10, 11, 12])
            let none = try cluster.reader(index: "none") { $0.topics = ["none"] }
            #expect(throws: TopicReader.MissingTopic.self) { try none.refresh() }
        }
    }

    @Test func looksWithoutBeingAnybody() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<3)
            try cluster.reader().refresh()
            let topics = try LogReader(cluster.properties).metadata(atMost: .seconds(10)).partitionCounts
            #expect(Set(topics.keys) == ["orders", "orders.dead-letter"])
        }
    }

    @Test func forgetsWhatTheBrokerHasDeleted() async throws {
        try await ClusterUnderTest.with(topics: ["orders"]) { cluster in
            try await cluster.makeTopic(ClusterUnderTest.letters, settings: ["retention.bytes": "20000"])
            try cluster.publishLetters(0..<20)
            let reader = try cluster.reader()
            try reader.refresh()
            #expect(try Self.numbers(reader) == Array(0..<20))
            // Small batches, which the broker deletes one by one.
            for start in stride(from: Int64(20), to: 120, by: 10) {
                try cluster.publishLetters(start..<start + 10)
            }
            try reader.refresh()
            let left = try cluster.contents(of: ClusterUnderTest.letters).count
            #expect(left < 120 && left > 10)
            #expect(try Self.numbers(reader) == Array(120 - Int64(left)..<120))
            let group = try reader.index.groups(LetterFilter(), mark: reader.mark, now: 0).groups.first
            #expect(group?.count == left && group?.open == left)
        }
    }

    @Test(arguments: [Int64(5), 10, 40])
    func noticesATopicThatWasMadeAnew(count: Int64) async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<10)
            let reader = try cluster.reader()
            try reader.refresh()
            try cluster.deleteTopic(ClusterUnderTest.letters)
            try await cluster.makeTopic(ClusterUnderTest.letters)
            // As long as before it looks the same, until there is one record more.
            try cluster.publishLetters(1_000..<1_000 + count)
            try reader.refresh()
            if count == 10 { try cluster.publishLetters(1_010..<1_012) }
            try reader.refresh()
            let last = count == 10 ? 1_012 : 1_000 + count
            #expect(try Self.numbers(reader) == Array(1_000..<last))
        }
    }

    @Test func forgetsATopicThatIsGone() async throws {
        let topics = ["orders", "orders.dead-letter", "b.dead-letter"]
        try await ClusterUnderTest.with(topics: topics) { cluster in
            try cluster.publishLetters(0..<4)
            try cluster.publishLetters(10..<14, in: "b.dead-letter")
            let reader = try cluster.reader()
            try reader.refresh()
            try cluster.deleteTopic("b.dead-letter")
            try reader.refresh()
            #expect(try Self.numbers(reader) == Array(0..<4))
            try await cluster.makeTopic("b.dead-letter")
            try cluster.publishLetters(20..<22, in: "b.dead-letter")
            try reader.refresh()
            #expect(try Self.numbers(reader) == Array(0..<4) + [20, 21])
        }
    }

    /// A sample is for looking at, and the broker deletes the oldest letters first.
    @Test func aGroupsSampleIsThere() async throws {
        try await ClusterUnderTest.with(topics: ["orders"]) { cluster in
            try await cluster.makeTopic(ClusterUnderTest.letters, settings: ["retention.bytes": "20000"])
            try cluster.publishLetters(0..<4)
            let desk = try cluster.desk()
            try desk.refresh()
            for start in stride(from: Int64(10), to: 120, by: 10) {
                try cluster.publishLetters(start..<start + 10)
            }
            try desk.refresh()
            let group = try #require(try desk.groups(LetterFilter()).groups.first)
            let sample = try #require(group.sample)
            #expect(try desk.letter(named: "\(sample)").position == sample)
            let times = try desk.letters(LetterFilter(), limit: 1_000).map(\.at)
            #expect(group.first == times.min() && group.last == times.max() && group.count == times.count)
        }
    }

    @Test func aTransactionThatIsNotOverIsNotSeenAndNotSkipped() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            try cluster.publishLetters(0..<4)
            let other = try OpenTransaction(cluster)
            try other.send((10..<14).map { Letters.record($0, partition: Int32($0 % 2), clusterID: id) })
            // Behind it, and nobody's transaction.
            try cluster.publishLetters(20..<24)
            let reader = try cluster.reader()
            try reader.refresh()
            #expect(try Self.numbers(reader) == Array(0..<4))
            try other.commit()
            try reader.refresh()
            #expect(try Self.numbers(reader) == Array(0..<4) + Array(10..<14) + Array(20..<24))
        }
    }

    @Test func anAbortedTransactionIsNeverSeen() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            let other = try OpenTransaction(cluster)
            try other.send((10..<14).map { Letters.record($0, partition: Int32($0 % 2), clusterID: id) })
            let reader = try cluster.reader()
            try reader.refresh()
            try other.abort()
            try cluster.publishLetters(20..<24)
            try reader.refresh()
            #expect(try Self.numbers(reader) == Array(20..<24))
            #expect(try Self.refresh(reader) == 0)
        }
    }

    @Test func twoReadersOfOneIndexCountEachLetterOnce() async throws {
        try await ClusterUnderTest.with { cluster in
            let rounds: Int64 = 4
            for round in 0..<rounds {
                try cluster.publishLetters(round * 500..<(round + 1) * 500)
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for _ in 0..<2 {
                        // A thread for each, or they would take turns.
                        tasks.addTask(executorPreference: OwnThread()) { try cluster.reader().refresh() }
                    }
                    try await tasks.waitForAll()
                }
                let reader = try cluster.reader()
                #expect(try Self.numbers(reader) == Array(0..<(round + 1) * 500))
                let page = try reader.index.groups(LetterFilter(), mark: reader.mark, now: 0)
                #expect(page.letters == Int(round + 1) * 500 && page.groups.count == 1)
            }
        }
    }

    @Test func singleRecordsAreFetchedAndWhatIsGoneIsMissing() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<20)
            let reader = try cluster.reader()
            let wanted = [
                LetterPosition(topic: ClusterUnderTest.letters, partition: 0, offset: 3),
                LetterPosition(topic: ClusterUnderTest.letters, partition: 1, offset: 9),
                LetterPosition(topic: ClusterUnderTest.letters, partition: 1, offset: 10),
                LetterPosition(topic: ClusterUnderTest.letters, partition: 1, offset: .max - 1),
            ]
            let found = try reader.records(at: wanted)
            #expect(Set(found.keys) == Set(wanted.prefix(2)))
            #expect(found[wanted[0]]?.key == Array("key-6".utf8))
        }
    }

    @Test(
        arguments: [
            ([], []), ([5], [5..<6]), ([1, 2, 3], [1..<4]),
            ([0, 5_001, 10_003], [0..<5_002, 10_003..<10_004]),
            ([9, 3], [3..<10]),
        ] as [([Int64], [Range<Int64>])]
    )
    func whatLiesCloseIsReadInOneGo(offsets: [Int64], stretches: [Range<Int64>]) {
        #expect(ClusterReader.stretches(offsets) == stretches)
    }
}
