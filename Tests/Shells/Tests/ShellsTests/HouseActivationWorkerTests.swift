import FlotillaRecords
import FlotillaWorkerKit
import FlotillaWorkerTestKit
import Synchronization
import Testing

@testable import HouseActivationWorker

struct HouseActivationWorkerTests {
    // Storms step the clock by up to ten minutes, and a record without a time has that of its timestamp.
    private static let settings = """
        gdt:
          future_skew: 1h
          apps: [{app_id: 112233, advertiser_id: 10000, sign_key: test_sign_key, encrypt_key: test_encrypt_key}]
        """

    private static func shell() throws -> HouseActivationWorker {
        HouseActivationWorker(try Settings(yaml: "{upload_key: abc, closed_app: 5}"))
    }

    private static func sample(
        app: UInt64 = 112_233,
        tenant: String? = nil,
        ends: Set<String>
    ) throws -> Rehearsal.Sample {
        let activation = Activation {
            $0.appID = app
            $0.advertiserID = 10_000
            $0.appType = "IOS"
            $0.conversionType = "MOBILEAPP_ACTIVITE"
            $0.deviceID = "1E2DFA89-496A-47FD-9941-DF1FC4E6484A"
        }
        let headers = tenant.map { [Header("tenant", $0)] } ?? []
        return Rehearsal.Sample(
            ChannelRecord(
                key: Array("k\(app)".utf8),
                value: try activation.encoded(as: .json),
                headers: headers
            ),
            ends: ends
        )
    }

    @Test func survivesAHundredStormsWithItsInterceptorAndItsChannel() throws {
        let samples = try [
            Self.sample(ends: ["succeeded"]), Self.sample(tenant: "north", ends: ["succeeded"]),
            Self.sample(app: 99, ends: ["dead_lettered"]),
        ]
        let tenants = Mutex<Set<String?>>([])
        let rehearsal = try Rehearsal(of: Self.shell(), settings: Self.settings, samples: samples) {
            request in
            let tenant = request.headers.first { $0.name == "X-Tenant" }?.value
            _ = tenants.withLock { $0.insert(tenant) }
            return Response(200, body: Array(#"{"ret":0,"msg":"ok"}"#.utf8))
        }
        let report = try rehearsal.storms(seeds: 0..<100)
        #expect(report.records > 1_000)
        #expect(tenants.withLock { $0 } == [nil, "north"])
    }

    @Test func theInterceptorVetoesBeforeACall() throws {
        let settings = """
            gdt:
              apps: [{app_id: 5, advertiser_id: 10000, sign_key: test_sign_key, encrypt_key: test_encrypt_key}]
            """
        let samples = try [Self.sample(app: 5, ends: ["rejected"])]
        let rehearsal = try Rehearsal(of: Self.shell(), settings: settings, samples: samples) { _ in
            Issue.record("a vetoed record was sent")
            return Response(200)
        }
        try rehearsal.storms(seeds: 0..<20)
    }

    @Test func theChannelGetsWhatWasReported() throws {
        let channel = try Self.shell().channels[0]
        let record = Record(topic: "activation", key: [1], value: [2], headers: [Header("tenant", "north")])
        #expect(channel.topic == "activation.warehouse")
        var outcome = Outcome()
        outcome.fate = "succeeded"
        #expect(channel.record(for: record, outcome) == ChannelRecord(copying: record))
        outcome.fate = "rejected"
        #expect(channel.record(for: record, outcome) == nil)
    }

    /// An upload of the company's own build of the SDK.
    private static func upload() -> SDKUpload {
        let event = """
            [{"eventType":"ACTIVATE","deviceId":"d","dataSourceId":"s","timestamp":1700000000000,\
            "idfa":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A"}]
            """
        let key = Array("abc".utf8)
        return SDKUpload(
            target: "/v3/projects/p/collect?stm=1",
            headers: [("X-Crypt-Codec", "7")],
            body: event.utf8.enumerated().map { $1 &+ key[$0 % 3] }
        )
    }

    @Test func theCipherIsUsedForItsNumber() throws {
        #expect(try Self.upload().events(ciphers: Self.shell().ciphers).events.map(\.type) == ["ACTIVATE"])
    }

    private static let intake = """
        sdk:
          events_topic: sdk-events
          apps: [{account: p, data_source: s, app_id: 112233, advertiser_id: 10000, app_type: IOS}]
        """

    @Test func theIntakeDecodesAnUploadWithTheCipher() throws {
        let rehearsal = try IntakeRehearsal(of: Self.shell(), settings: Self.intake)
        let records = rehearsal.take(Self.upload().record())
        let topics = Dictionary(grouping: records, by: \.topic)
        #expect(Set(topics.keys) == ["sdk-events", Activation.dueTopic, SDKUploadResult.topic])
        let due = try #require(topics[Activation.dueTopic]?.first)
        let record = Record(topic: due.topic, value: due.value, headers: due.headers)
        #expect(try Activation(decoding: record).appID == 112_233)
        let sent = try #require(topics["sdk-events"]?.first)
        let event = try SDKEventRecord(decoding: Record(topic: sent.topic, value: sent.value))
        #expect(event.type == "ACTIVATE" && event.account == "p" && event.id == record.eventID)
        let ended = try #require(topics[SDKUploadResult.topic]?.first)
        let result = try SDKUploadResult(decoding: Record(topic: ended.topic, value: ended.value))
        #expect(result.outcome?.fate == "succeeded" && result.counts?.activations == 1)
    }

    @Test func withoutTheKeyTheUploadIsRefusedAsAWhole() throws {
        let other = HouseActivationWorker(try Settings(yaml: "{upload_key: other, closed_app: 5}"))
        let records = try IntakeRehearsal(of: other, settings: Self.intake).take(Self.upload().record())
        let ended = try #require(records.first)
        let result = try SDKUploadResult(decoding: Record(topic: ended.topic, value: ended.value))
        #expect(records.count == 1 && result.outcome?.fate == "rejected")
    }
}
