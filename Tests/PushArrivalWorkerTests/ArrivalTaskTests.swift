import Operations
import PushStatistics
import Records
import Testing
import WireFormats
import WorkerKit

@testable import PushArrivalWorker
@testable import StreamKit

/// One input partition, without a cluster.
@Suite struct ArrivalTaskTests {
    private static let now = Moment(monotonic: 0, wall: 1_795_248_000_000)
    private let settings = PushArrivalSettings(
        SettingsReader(file: nil, overrides: []),
        PushArrivalProgram.identity
    )
    private let output = StreamOutput()

    private func task() -> ArrivalTask {
        let cluster = StreamCluster(id: "c", partitionCounts: [:])
        return ArrivalTask(0, self.settings, cluster, PushMetrics(factory: PrometheusRegistry()))
    }

    private func arrival(of message: String, offset: Int64) -> InboundRecord {
        let event = PushEvent(
            .arrived,
            messageID: message,
            deviceID: "device",
            sentMS: Self.now.wall,
            serverMS: Self.now.wall
        )
        return InboundRecord(
            topic: self.settings.topics.input,
            partition: 0,
            offset: offset,
            timestamp: Self.now.wall,
            key: Array("device".utf8),
            value: event.encoded(),
            headers: [RecordHeader("content-type", ValueFormat.protobuf.contentType)]
        )
    }

    private func sent(to topic: String, among records: [OutboundRecord]) -> [OutboundRecord] {
        records.filter { $0.topic == topic }
    }

    /// A worker that took them for one would write the second under the first one's key, and compaction keep both.
    @Test func twoSpellingsOfAnIDAreTwoMessagesAllTheWay() throws {
        let task = self.task()
        for (offset, message) in ["caf\u{E9}", "cafe\u{301}"].enumerated() {
            task.process(self.arrival(of: message, offset: Int64(offset)), at: Self.now, self.output)
        }
        let records = try self.everything(of: task)
        let results = self.sent(to: self.settings.topics.result, among: records)
        #expect(results.count == 2)
        for result in results {
            let text = String(decoding: result.value ?? [], as: UTF8.self)
            #expect(text.contains("\"result\":\"accepted\""), "\(text)")
        }
        for topic in [self.settings.topics.changelog, self.settings.topics.parts] {
            let told = self.sent(to: topic, among: records)
            #expect(Set(told.map(\.key)).count == 2)
            let parts = told.compactMap { $0.value.flatMap { CohortSnapshot($0) } }
            #expect(parts.map(\.tally.arrived) == [1, 1], "\(topic)")
        }
    }

    /// Versions grow with the times that events came at: one from nowhere would put them beyond what readers take.
    @Test(arguments: [1_800_000_000_000_000_000, Int64.max, -1])
    func anImpossibleTimeOfAnEventWithoutDeviceIsNotBelieved(timestamp: Int64) throws {
        let task = self.task()
        let record = InboundRecord(
            topic: self.settings.topics.input,
            partition: 0,
            offset: 0,
            timestamp: timestamp,
            value: Array(#"{"type":"arrived","messageId":"m"}"#.utf8)
        )
        task.process(record, at: Self.now, self.output)
        let parts = try self.sent(to: self.settings.topics.parts, among: self.everything(of: task))
            .compactMap { $0.value.flatMap { CohortSnapshot($0) } }
        #expect(parts.map(\.tally.unknownDevice) == [1])
        #expect(parts.map(\.lastSeen) == [Self.now.wall])
    }

    /// What a task has put out, once all that is due is told.
    private func everything(of task: ArrivalTask) throws -> [OutboundRecord] {
        task.collect(at: Self.now, progress: Self.now.wall, self.output)
        let later = Moment(monotonic: 0, wall: Self.now.wall + 60_000)
        task.collect(at: later, progress: later.wall, self.output)
        var records: [OutboundRecord] = []
        try self.output.drain { record in records.append(copy record) }
        return records
    }
}
