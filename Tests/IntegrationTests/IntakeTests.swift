import Foundation
import Records
import Testing
import UpstreamSimulator
import WireFormats

/// The intake and the worker behind it as processes, on a broker that takes transactions at their word.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct IntakeTests {
    private static func intake(_ cluster: TestCluster) throws -> WorkerUnderTest {
        let text = """
            kafka:
              brokers: \(cluster.brokers)
              topic: \(cluster.input)
              group: \(cluster.input).intake
              session_timeout: 6s
              transaction_timeout: 5s
              fetch_wait: 5ms
            sdk:
              topic: \(cluster.input).uploads
              events_topic: \(cluster.input).events
              event_window: 1d
              apps:
                - account: '0a1b'
                  data_source: source
                  app_id: 112233
                  advertiser_id: 10000
                  app_type: IOS
            attribution:
              report: match
              window: 1d
              patience: 30s
            clicks:
              topic: \(cluster.input).clicks
            duplicates:
              window: 1d
            health:
              host: 127.0.0.1
              port: 0
            log:
              format: text
            """
        return try WorkerUnderTest("activation-worker", text, command: ["intake", "run"])
    }

    private static func worker(_ cluster: TestCluster, upstream port: Int) throws -> WorkerUnderTest {
        let text = """
            kafka:
              brokers: \(cluster.brokers)
              topic: \(cluster.input).due
              result_topic: \(cluster.results)
              dead_letter_topic: \(cluster.input).due.dead-letter
              group: \(cluster.input).worker
              session_timeout: 6s
            gdt:
              url: http://127.0.0.1:\(port)
              apps:
                - app_id: 112233
                  advertiser_id: 10000
                  sign_key: test_sign_key
                  encrypt_key: test_encrypt_key
            health:
              host: 127.0.0.1
              port: 0
            log:
              format: text
            """
        return try WorkerUnderTest("activation-worker", text)
    }

    private static func cluster() async throws -> TestCluster {
        try await TestCluster.transactional(
            [
                "uploads": 3, "uploads.result": 3, "clicks": 2, "events": 2, "home": 4, "home.changelog": 4,
                "due": 3,
                "due.dead-letter": 1,
            ],
            input: 3
        )
    }

    private static func device(_ index: Int) -> String {
        String(format: "%08X-496A-47FD-9941-DF1FC4E6484A", index + 1)
    }

    /// An upload of a phone with its activation and a page, as the phone sends it.
    private static func upload(_ index: Int, to cluster: TestCluster) -> OutboundRecord {
        let time = Int64(Date().timeIntervalSince1970) * 1_000 - 60_000
        let start = #"{"deviceId":"d\#(index)","dataSourceId":"source","timestamp":\#(time)"#
        let events =
            "[" + start + #","eventType":"ACTIVATE","idfa":"\#(Self.device(index))"},"# + start
            + #","eventType":"PAGE","path":"/home","globalSequenceId":2}]"#
        return OutboundRecord(
            topic: "\(cluster.input).uploads",
            value: Array(events.utf8),
            headers: [
                RecordHeader("upload.target", "/v3/projects/0a1b/collect"),
                RecordHeader("Content-Type", "application/json"),
            ]
        )
    }

    private static func click(_ index: Int, to cluster: TestCluster) throws -> OutboundRecord {
        let muid = String(decoding: try MUID(deviceID: Self.device(index), of: .ios).text, as: UTF8.self)
        let time = Int64(Date().timeIntervalSince1970) - 600
        let query = "muid=\(muid)&click_time=\(time)&click_id=click\(index)&appid=112233"
        return OutboundRecord(topic: "\(cluster.input).clicks", value: Array(query.utf8))
    }

    /// Each phone sends its upload twice, the intake dies again and again, and every other click is published after the
    /// upload to which it has led.
    @Test func killsOfTheIntakeAreNotToBeSeenInReportsAndEvents() async throws {
        let (count, kills) = (600, 5)
        let cluster = try await Self.cluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        // No click has led to every tenth activation.
        let clicked = (0..<count).filter { $0 % 10 != 0 }
        var intake = try Self.intake(cluster)
        let early = clicked.filter { $0 % 2 == 0 }
        try cluster.publish(early.map { try Self.click($0, to: cluster) })
        let changes = try TopicContents("\(cluster.input).home.changelog", cluster)
        // A click is remembered at the home of its device and at its own.
        #expect(changes.read { $0.count >= 2 * early.count }, "\(intake.log)")
        let events = try TopicContents("\(cluster.input).events", cluster)
        let uploads = (0..<count).map { Self.upload($0, to: cluster) }
        let batch = count / kills
        for round in 0..<kills {
            let numbers = round * batch..<(round + 1) * batch
            let part = Array(uploads[numbers])
            let late = clicked.filter { $0 % 2 == 1 && numbers.contains($0) }
            try cluster.publish(part + part + late.map { try Self.click($0, to: cluster) })
            #expect(events.read { $0.count > round * batch * 2 + batch }, "round \(round): \(intake.log)")
            intake.send(SIGKILL)
            #expect(intake.exitStatus() == 128 + SIGKILL)
            intake = try Self.intake(cluster)
        }
        let worker = try Self.worker(cluster, upstream: gdt.port)
        let results = try TopicContents(cluster.results, cluster)
        // One outcome for each upload: reported, a duplicate, or without a click.
        #expect(results.read { $0.count >= 2 * count }, "\(intake.log)\(worker.log)")
        _ = results.read(atMost: .seconds(2)) { $0.count > 2 * count }
        _ = events.read(atMost: .seconds(1)) { $0.count > 2 * count }
        let codes = results.records.map { String(decoding: $0.value ?? [], as: UTF8.self) }
        #expect(codes.count { $0.contains("succeeded") } == clicked.count)
        #expect(codes.count { $0.contains("activation.duplicate") } == clicked.count)
        #expect(codes.count { $0.contains("attribution.no_click") } == 2 * (count - clicked.count))
        #expect(results.records.allSatisfy { $0.headers.contains { $0.name == "flotilla.origin" } })
        #expect(gdt.accepted().count == clicked.count)
        #expect(events.records.count == 2 * count)
        #expect(Set(events.records.map(\.key)).count == 2 * count)
        #expect(worker.stop() == 0, "\(worker.log)")
        #expect(intake.stop() == 0, "\(intake.log)")
        await gdt.stop()
        try await cluster.end()
    }
}
