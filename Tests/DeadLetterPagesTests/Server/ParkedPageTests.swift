import EmbeddedBroker
import EventThread
import Kafka
import Records
import ServiceKit
import Testing
import WorkerKit
import WorkerTestSupport

/// The page of parked records, over real HTTP in front of a broker.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ParkedPageTests {
    /// Parks records of two lanes, one with a name that means harm.
    static func park(on stage: Stage) async throws {
        let topic = Stage.originalTopic + ParkingTicket.topicSuffix
        try await stage.broker.createTopic(topic, partitions: 2)
        let properties = stage.properties
        let id = try await EventThread.run {
            try LogReader(properties).clusterID(atMost: .seconds(10))
        }
        let clusterID = try #require(id)
        let rooms: [WaitingRoom] = [
            .lane("112233"), .lane("112233"), .endpoint("<script>window.hurt=1</script>\u{1B}[2J"),
        ]
        try await Stage.publish(
            rooms.enumerated().map { index, room in
                let place = TopicPartition(topic: Stage.originalTopic, partition: Int32(index % 2))
                return ParkingTicket(
                    place: PartitionMark(clusterID: clusterID, place),
                    offset: Int64(index),
                    key: nil,
                    timestamp: nil,
                    room: room
                ).record(to: topic, partition: place.partition)
            },
            to: stage.broker
        )
    }

    @Test func showsWhatIsParkedAndWhatItWaitsFor() async throws {
        try await Stage.run(letters: []) { stage in
            let empty = try await stage.page("/parked", once: { $0.contains("Parked records") })
            #expect(empty.contains("Nothing is parked."))
            try await Self.park(on: stage)
            let page = try await stage.page("/parked", once: { $0.contains("3 records") })
            #expect(page.contains("3 records will come back when what they wait for works again."))
            #expect(page.contains("<td class=\"n\">2</td><td>lane 112233</td>"))
            #expect(page.contains("dead-letters parked"))
            #expect(!page.contains("<script>window") && !page.contains("\u{1B}"))
        }
    }
}
