import Kafka
import Operations
import Records
import ServiceKit
import Testing
import WireFormats

@testable import ActivationIntake
@testable import StreamKit

/// An intake without a cluster: what the tasks send to the home topic is handed to the home tasks, and everything
/// else is kept.
final class IntakeBench {
    static let start = Moment(monotonic: 0, wall: 1_795_248_000_000)

    let settings: IntakeSettings
    private let writer: IntakeWriter
    private let metrics: IntakeMetrics
    private var homes: [Int32: HomeTask] = [:]
    private var nextOffset: Int64 = 0
    private(set) var sent: [OutboundRecord] = []
    var now = IntakeBench.start
    var isCrowded = false

    private static let partitions: Int32 = 3

    init(_ lines: String = "") throws {
        let text = """
            kafka:
              brokers: localhost:9092
            sdk:
              events_topic: sdk-events
              apps:
                - account: '0a1b22c33d44e55f'
                  data_source: '1234567890abcdef'
                  app_id: 112233
                  advertiser_id: 10000
                  app_type: IOS
            \(lines)
            """
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "settings.yaml"), overrides: [])
        self.settings = IntakeSettings(reader, IntakeProgram.identity)
        _ = try reader.finish()
        let topics = [self.settings.topics.changelog: Int(Self.partitions)]
        self.writer = IntakeWriter(self.settings, StreamCluster(id: "c", partitionCounts: topics))
        self.metrics = IntakeMetrics(factory: PrometheusRegistry())
    }

    /// Lets time pass.
    func wait(_ length: Duration) {
        self.now = Moment(monotonic: 0, wall: self.now.wall + length.wholeMilliseconds)
    }

    private func home(_ partition: Int32) -> HomeTask {
        let task = self.homes[partition] ?? HomeTask(partition, self.writer, metrics: self.metrics)
        self.homes[partition] = task
        return task
    }

    /// Processes a record of an input topic, and everything that follows from it.
    func take(_ topic: String, _ value: [UInt8]?, headers: [RecordHeader] = [], key: String? = nil) throws {
        let record = InboundRecord(
            topic: topic,
            partition: 0,
            offset: self.nextOffset,
            timestamp: self.now.wall,
            key: key.map { Array($0.utf8) },
            value: value,
            headers: headers
        )
        self.nextOffset += 1
        let application = IntakeApplication(
            self.settings,
            StreamCluster(id: "c", partitionCounts: [self.settings.topics.changelog: Int(Self.partitions)]),
            metrics: self.metrics
        )
        let output = StreamOutput()
        application.task(for: .init(topic: topic, partition: 0)).process(record, at: self.now, output)
        try self.deliver(output)
    }

    private func deliver(_ output: StreamOutput) throws {
        var records: [OutboundRecord] = []
        try output.drain { records.append(copy $0) }
        for record in records {
            guard record.topic == self.settings.topics.home else {
                self.sent.append(record)
                continue
            }
            let next = StreamOutput()
            next.isCrowded = self.isCrowded
            let partition = try #require(record.partition)
            self.home(partition).process(self.inbound(record), at: self.now, next)
            try self.deliver(next)
        }
    }

    private func inbound(_ record: OutboundRecord) -> InboundRecord {
        self.nextOffset += 1
        return InboundRecord(
            topic: record.topic,
            partition: record.partition ?? 0,
            offset: self.nextOffset,
            timestamp: record.timestamp,
            key: record.key,
            value: record.value,
            headers: record.headers
        )
    }

    /// Ends a transaction in every home.
    func collect() throws {
        for task in self.homes.values {
            let output = StreamOutput()
            task.collect(at: self.now, progress: self.now.wall, output)
            try self.deliver(output)
        }
    }

    /// Drops every home and makes it anew from what was written, as another member does after a rebalance.
    func rebalance() {
        let changes = self.sent(to: self.settings.topics.changelog).map(self.inbound)
        self.homes = [:]
        for change in changes { self.home(change.partition).restore(change, at: self.now) }
        for task in self.homes.values { task.restored(at: self.now) }
    }

    func sent(to topic: String?) -> [OutboundRecord] { self.sent.filter { $0.topic == topic } }

    /// The activations that are to be reported.
    var due: [OutboundRecord] { self.sent(to: self.settings.topics.due) }

    /// The codes of the outcomes in a topic; "" where there is no reason.
    func codes(in topic: String) -> [String] {
        self.sent(to: topic).map { record in
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            let code = text.firstMatch(of: #/"code":"([^"]*)"/#).map { String($0.1) }
            return code ?? (text.contains(#""fate":"succeeded""#) ? "" : text)
        }
    }

    /// The bytes that the homes say they take.
    var byteCount: Int { self.homes.values.reduce(0) { $0 + $1.byteCount } }
}
