import EmbeddedBroker
import Kafka
import Logging
import PushArrivalPages
import Records
import ServiceLifecycle
import Testing
import WireFormats
import WireMessages
import WorkerTestSupport

/// The statistics topic, read from a broker.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ReaderTests {
    @Test func showsWhatIsThereAndThenWhatComes() async throws {
        try await Stage.withBroker { broker in
            let old = (0..<300).map { Samples.message("m-\($0)", version: Int64($0 % 3)) }
            try await Stage.publish(
                try old.enumerated().map {
                    try Samples.record($1, as: $0 % 2 == 0 ? "application/json" : "application/x-protobuf")
                },
                to: broker
            )
            try await Stage.run(reading: broker) { stage in
                let page = try await stage.page(
                    "/",
                    once: { $0.contains("<dd>300</dd>") && $0.contains("Live") }
                )
                #expect(page.contains("<dd>300</dd>"))
                #expect(stage.standing.now.phase == .live && stage.standing.now.records == 300)
                try await Stage.publish([try Samples.record(Samples.message("new", version: 9))], to: broker)
                #expect(try await stage.page("/", with: ">new</a>").contains(">new</a>"))
                // An older one, published later, changes nothing; whatever comes behind it shows that it was read.
                let late = Samples.message("new", version: 8, arrived: 1)
                let last = Samples.message("last")
                try await Stage.publish([late, last].map { try Samples.record($0) }, to: broker)
                _ = try await stage.page("/", once: { _ in stage.standing.now.records == 303 })
                let key = try Samples.statistics(late).key
                #expect(stage.board.statistics(of: key)?.version == 9)
                #expect(stage.standing.now.unreadable == 0)
            }
        }
    }

    @Test func skipsWhatIsNoStatisticsAndCountsIt() async throws {
        try await Stage.withBroker(partitions: 1) { broker in
            var large = Samples.message("large")
            large.campaignID = String(repeating: "c", count: 70_000)
            let values: [[UInt8]?] = [
                Array("{".utf8), [], nil, [0xFF, 0x00], Array("{\"messageId\":7}".utf8),
                try Samples.record(large).value,
            ]
            let bad = values.map { OutboundRecord(topic: Samples.topic, key: [1], value: $0) }
            try await Stage.publish(bad + [try Samples.record(Samples.message("good"))], to: broker)
            try await Stage.run(reading: broker) { stage in
                let page = try await stage.page("/", with: ">good</a>")
                // A tombstone is none of them.
                #expect(stage.standing.now.records == 7 && stage.standing.now.unreadable == 5)
                #expect(page.contains("5 records of push-arrival.stats are no statistics"))
            }
        }
    }

    @Test func readsNoMoreOfThePastThanItIsTold() async throws {
        try await Stage.withBroker(partitions: 1) { broker in
            try await Stage.publish(
                try (0..<100).map { try Samples.record(Samples.message("m-\($0)")) },
                to: broker
            )
            try await Stage.run(DashboardSettings(port: 0, history: 10), reading: broker) { stage in
                _ = try await stage.page("/", once: { _ in stage.standing.now.phase == .live })
                #expect(stage.standing.now.records == 10)
                #expect(Set(stage.board.newest.map(\.messageID)) == Set((90..<100).map { "m-\($0)" }))
            }
        }
    }

    @Test func waitsForATopicThatIsNotThereYet() async throws {
        try await Stage.withBroker(partitions: nil) { broker in
            try await Stage.run(reading: broker) { stage in
                let waiting = "Waiting for the topic push-arrival.stats"
                #expect(try await stage.page("/", with: waiting).contains(waiting))
                try await broker.createTopic(Samples.topic, partitions: 2)
                try await Stage.publish([try Samples.record(Samples.message())], to: broker)
                let there = try await stage.page("/", with: "spring-sale-0412", "Live")
                #expect(there.contains("spring-sale-0412"))
                #expect(there.contains("Live"))
            }
        }
    }

    @Test func saysThatTheClusterIsAwayAndGoesOnWhenItIsBack() async throws {
        try await Stage.withBroker { broker in
            try await Stage.publish([try Samples.record(Samples.message("before"))], to: broker)
            try await Stage.run(reading: broker) { stage in
                _ = try await stage.page("/", with: ">before</a>")
                var faults = BrokerFaults()
                faults.refusesConnections = true
                try await broker.setFaults(faults)
                try await broker.cutConnections()
                let away = try await stage.page("/", with: "The cluster does not answer")
                #expect(away.contains("The cluster does not answer") && away.contains(">before</a>"))
                #expect(away.contains("It was last heard of"))
                try await broker.setFaults(BrokerFaults())
                try await Stage.publish([try Samples.record(Samples.message("after"))], to: broker)
                let back = try await stage.page(
                    "/",
                    once: { $0.contains(">after</a>") && $0.contains("Live") }
                )
                #expect(back.contains(">after</a>") && !back.contains("The cluster does not answer"))
            }
        }
    }

    @Test func stopsAlsoWhenThereIsNoCluster() async throws {
        let broker = try await EmbeddedBroker.start()
        await broker.stop()
        let (board, standing) = (StatisticsBoard(limit: 10), ReadingStanding())
        let services = ServiceGroup(
            services: [Stage.reader(of: broker, board, standing)],
            logger: Logger(label: "group", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let deadline = ContinuousClock.now + .seconds(30)
            while standing.now.trouble == nil, ContinuousClock.now < deadline { await Task.yield() }
            #expect(standing.now.trouble != nil && standing.now.heardAt == nil)
            let start = ContinuousClock.now
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }
}
