import Foundation
import Operations
import PushStatistics
import Records
import ServiceKit
import Testing
import WireFormats
import WorkerKit
import WorkerTestSupport

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

    private func task(countingIn registry: PrometheusRegistry = PrometheusRegistry()) -> ArrivalTask {
        let cluster = StreamCluster(id: "c", partitionCounts: [:])
        return ArrivalTask(
            0,
            self.settings,
            cluster: cluster,
            metrics: PushMetrics(factory: registry)
        )
    }

    private func arrival(of message: String, offset: Int64) -> InboundRecord {
        let event = PushEvent(
            .arrived,
            messageID: message,
            deviceID: "device",
            sentMS: Self.now.wall,
            serverMS: Self.now.wall
        )
        return self.record(of: event, offset: offset)
    }

    private func record(of event: PushEvent, offset: Int64) -> InboundRecord {
        InboundRecord(
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

    private func result(of record: InboundRecord) -> OutboundRecord? {
        self.task().process(record, at: Self.now, self.output)
        var records: [OutboundRecord] = []
        self.output.drain { record in records.append(copy record) }
        return self.sent(to: self.settings.topics.result, among: records).first
    }

    /// Also of an event that was sent home, in a form that has no room for unknown fields.
    @Test func aResultNamesUnknownFieldsAndRepeatsWhatItsPublisherSet() throws {
        let correlation = RecordHeader("correlation-id", "c-1")
        let unknown = RecordHeader("outcome.unknown_fields", "deviceID")
        let event = #"{"type":"arrived","deviceId":"device","messageId":"m","deviceID":"x"}"#
        let record = InboundRecord(
            topic: self.settings.topics.input,
            partition: 0,
            offset: 1,
            timestamp: Self.now.wall,
            value: Array(event.utf8),
            headers: [correlation]
        )
        let result = try #require(self.result(of: record))
        #expect(result.headers.contains(correlation) && result.headers.contains(unknown))

        let headers = EventOrigin(of: record).headers(afterHopOf: record)
        var moved = self.record(of: PushEvent(.arrived, deviceID: "d", serverMS: Self.now.wall), offset: 2)
        moved.headers = headers
        let home = try #require(self.result(of: moved))
        #expect(home.headers.contains(correlation) && home.headers.contains(unknown))
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

    /// Messages that a single device invents are told as such beyond `push.new_messages`, and a message that a backend has
    /// sent is counted beside them.
    @Test func inventedMessagesAreToldAndHonestOnesCounted() throws {
        let registry = PrometheusRegistry()
        let task = self.task(countingIn: registry)
        // The rate of a hundred seconds may begin at once.
        let (allowed, beyond) = (1_000, 37)
        for number in 0..<allowed + beyond {
            let event = PushEvent(
                .arrived,
                messageID: "invented-\(number)",
                deviceID: "device",
                serverMS: Self.now.wall
            )
            task.process(self.record(of: event, offset: Int64(number)), at: Self.now, self.output)
        }
        let honest = PushEvent(.sent, messageID: "honest", deviceID: "other", serverMS: Self.now.wall)
        task.process(self.record(of: honest, offset: 5_000), at: Self.now, self.output)
        let results = try self.sent(to: self.settings.topics.result, among: self.everything(of: task))
            .map { String(decoding: $0.value ?? [], as: UTF8.self) }
        #expect(results.count == allowed + beyond + 1)
        let refused = results.filter {
            $0.contains(#""fate":"rejected""#) && $0.contains("message_id.too_many")
        }
        #expect(refused.count == beyond)
        let told = try #require(results.first { $0.contains(#""id":"push-arrival/0/5000""#) })
        #expect(told.contains(#""fate":"succeeded""#), "\(told)")
        let metrics = registry.exposition()
        #expect(metrics.contains(#"push_events_total{result="beyond_limit"} \#(beyond)"#), "\(metrics)")
    }

    // MARK: - Where it came from

    /// Any publisher can write the header. An outcome under the name of another's record would stand for that record.
    @Test(arguments: ["7/5/1", "0/5/3", "0/0/1"])
    func anOutcomeIsNamedAfterItsOwnRecordWhateverAPublisherClaims(claim: String) throws {
        let task = self.task()
        var record = self.arrival(of: "m", offset: 9)
        record.headers.append(RecordHeader("flotilla.push.origin", claim))
        task.process(record, at: Self.now, self.output)
        let results = try self.sent(to: self.settings.topics.result, among: self.everything(of: task))
        #expect(results.count == 1)
        let text = String(decoding: results[0].value ?? [], as: UTF8.self)
        #expect(text.contains(#""id":"push-arrival/0/9""#), "\(text)")
        // For readers that look for the record that was sent on, as what it is: a claim.
        let told = results[0].headers.first { $0.name == "flotilla.push.origin" }?.value
        #expect(told == Array(claim.dropLast(2).utf8))
    }

    // MARK: - Records that are too large

    private func sizes(_ records: [OutboundRecord]) -> [Int] { records.map(\.encodedBytesBound) }

    /// As large as the broker takes: its outcome cannot have the same key, and anything else beside.
    @Test(arguments: [
        #"{"type":"arrived"}"#, "{",
        #"{"type":"arrived","deviceId":"d","campaignId":"\#(String(repeating: "c", count: 256))"}"#,
    ])
    func aRecordWithALongKeyIsAnsweredWithoutIt(value: String) throws {
        for partitions in [1, 50] {
            let cluster = StreamCluster(
                id: "c",
                partitionCounts: [self.settings.topics.input: partitions]
            )
            let metrics = PushMetrics(factory: PrometheusRegistry())
            let task = ArrivalTask(0, self.settings, cluster: cluster, metrics: metrics)
            let key = [UInt8](repeating: UInt8(ascii: "k"), count: 1_047_700)
            let record = InboundRecord(
                topic: self.settings.topics.input,
                partition: 0,
                offset: 0,
                timestamp: Self.now.wall,
                key: key,
                value: Array(value.utf8)
            )
            task.process(record, at: Self.now, self.output)
            let records = try self.everything(of: task)
            #expect(self.sizes(records).allSatisfy { $0 <= self.settings.kafka.messageBytesLimit })
            let answers = records.filter {
                [self.settings.topics.result, self.settings.topics.input].contains($0.topic)
            }
            #expect(answers.count == 1)
            let omitted = answers[0].headers.first { $0.name == "outcome.key_omitted" }?.value
            #expect(answers[0].key == nil && omitted == Array("1047700".utf8))
        }
    }

    /// 390 arrivals with the longest names there are, all of them quotes.
    @Test func aBatchForTheForwarderNeverOutgrowsItsRecord() throws {
        var batch = ForwardBatch(topic: "f", limit: 1_000, bytesLimit: 1_048_000)
        let name = String(repeating: "\"", count: 256)
        for number in 0..<390 {
            let event = PushEvent(
                .arrived,
                provider: name,
                appBundle: name,
                messageID: name,
                campaignID: name,
                deviceID: name,
                sentMS: .min,
                serverMS: Self.now.wall + Int64(number)
            )
            batch.add(event, PushTime(of: event), to: self.output)
        }
        batch.flush(to: self.output)
        var records: [OutboundRecord] = []
        self.output.drain { record in records.append(copy record) }
        #expect(records.count == 2)
        #expect(self.sizes(records).allSatisfy { $0 <= 1_048_000 })
        let counts = try records.map { record in
            try PushForwardBatch.count(
                in: InboundRecord(topic: "f", partition: 0, offset: 0, value: record.value)
            )
        }
        #expect(counts.reduce(0, +) == 390)
    }

    /// A transaction may take up more devices of a message than one record holds.
    @Test func aChangeOfSeventyThousandDevicesIsWrittenInPieces() throws {
        let task = self.task()
        for offset in 0..<70_000 {
            let event = PushEvent(
                .arrived,
                messageID: "m",
                deviceID: "device-\(offset)",
                sentMS: Self.now.wall,
                serverMS: Self.now.wall
            )
            task.process(self.record(of: event, offset: Int64(offset)), at: Self.now, self.output)
        }
        let changes = try self.sent(to: self.settings.topics.changelog, among: self.everything(of: task))
        #expect(changes.count >= 2)
        #expect(self.sizes(changes).allSatisfy { $0 <= self.settings.kafka.messageBytesLimit })
        let heir = self.task()
        for (offset, change) in changes.enumerated() {
            heir.restore(
                InboundRecord(topic: "c", partition: 0, offset: Int64(offset), value: change.value),
                at: Self.now
            )
        }
        heir.restored(at: Self.now)
        let again = PushEvent(
            .arrived,
            messageID: "m",
            deviceID: "device-69999",
            sentMS: Self.now.wall,
            serverMS: Self.now.wall
        )
        heir.process(self.record(of: again, offset: 70_000), at: Self.now, self.output)
        let parts = try self.sent(to: self.settings.topics.parts, among: self.everything(of: heir))
            .compactMap { $0.value.flatMap { CohortSnapshot($0) } }
        #expect(parts.last?.tally.arrived == 70_000 && parts.last?.tally.duplicates == 1)
    }

    /// A result has the frame of the schema's registry, which reads as the first message of its file.
    @Test func aResultHasAFrameWhereTheSettingSaysSo() throws {
        let text =
            "kafka: {brokers: 'b:1'}\npush: {result_format: protobuf, result_protobuf_schema_id: 258}\n"
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "w.yaml"), overrides: [])
        let settings = PushArrivalSettings(reader, PushArrivalProgram.identity)
        _ = try reader.finish()
        let task = ArrivalTask(
            0,
            settings,
            cluster: StreamCluster(id: "c", partitionCounts: [:]),
            metrics: PushMetrics(factory: PrometheusRegistry())
        )
        task.process(self.arrival(of: "m", offset: 1), at: Self.now, self.output)
        var records: [OutboundRecord] = []
        self.output.drain { record in records.append(copy record) }
        let value = try #require(self.sent(to: settings.topics.result, among: records).first?.value)
        // The outcome, field 1, follows the frame.
        #expect(value.starts(with: [0, 0, 0, 1, 2, 0, 0x0A]))
    }

    /// The forwarder's result is the third message of its file.
    @Test func theForwardersResultIsFramedAsTheMessageThatItIs() {
        let handler = PushForwardHandler(url: nil, token: nil)
        #expect(handler.resultPlace == PushForwardResult.place)
        #expect(ErasedHandler(handler).resultPlace == PushForwardResult.place)
    }

    /// A limit below what the largest statistics take would stop the worker on the day when there are such.
    @Test func aMessageLimitThatDoesNotHoldStatisticsIsRefused() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write("kafka:\n  brokers: b:1\n  message_limit: 60000\n", to: "w.yaml")
        let reader = SettingsReader(file: try SettingsFile(path: file.path), overrides: [])
        _ = PushArrivalSettings(reader, PushArrivalProgram.identity)
        let faults = #expect(throws: SettingsFaults.self) { try reader.finish() }
        #expect("\(faults.map { "\($0)" } ?? "")".contains("message_limit"))
    }

    /// All records that a task has put out, once all that is due is told.
    private func everything(of task: ArrivalTask) throws -> [OutboundRecord] {
        task.collect(at: Self.now, progress: Self.now.wall, self.output)
        let later = Moment(monotonic: 0, wall: Self.now.wall + 60_000)
        task.collect(at: later, progress: later.wall, self.output)
        var records: [OutboundRecord] = []
        self.output.drain { record in records.append(copy record) }
        return records
    }
}
