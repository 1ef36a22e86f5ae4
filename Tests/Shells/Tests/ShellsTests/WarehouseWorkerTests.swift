import FlotillaRecords
import FlotillaWorkerKit
import FlotillaWorkerTestKit
import Testing

@testable import WarehouseWorker

struct WarehouseWorkerTests {
    private static let now = Attempt(nowMS: 1_700_000_000_000)

    private static func worker() throws -> WarehouseWorker {
        WarehouseWorker(try Settings(yaml: "{url: \"https://warehouse.example\", token: secret}"))
    }

    private static func value(_ fill: (inout Activation) -> Void = { _ in }) throws -> [UInt8] {
        var activation = Activation { $0.appID = 112_233 }
        fill(&activation)
        return try activation.encoded(as: .json)
    }

    @Test func callsWithTheKeyOfTheRecordThatWasCopied() throws {
        let headers = [Header("channel.of", "activation/3/14"), Header("channel.timestamp_ms", "7")]
        let record = Record(
            topic: "activation.warehouse",
            offset: 9,
            value: try Self.value(),
            headers: headers
        )
        let call = try #require(try Self.worker().plan(record, Self.now).call)
        #expect(call.request.url == "https://warehouse.example/v1/conversions")
        #expect(call.job.timeMS == 7)
        #expect(call.request.headers.contains(HTTPField("Idempotency-Key", "activation/3/14")))
        #expect(call.request.headers.contains(HTTPField("Authorization", "Bearer secret")))
    }

    @Test(arguments: [
        (Array("{".utf8), "reject value.not_json"), (Array("{}".utf8), "reject app_id.missing"),
        (Array(#"{"appId":"1","trackingAuthorized":false}"#.utf8), "refuse tracking.denied"),
    ])
    func decidesWithoutACall(value: [UInt8], summary: String) throws {
        #expect(try Self.worker().plan(Record(topic: "t", value: value), Self.now).summary == summary)
    }

    @Test(arguments: [
        (Response(201, body: Array("row 17".utf8)), "answer"), (Response(409), "answer"),
        (Response(200, body: Array("<html>".utf8)), "retry warehouse.not_an_answer"),
        (Response(401), "hold http.401"), (Response(422), "reject http.422"),
        (Response(500), "retry http.500"),
        (Response(429, headers: [HTTPField("Retry-After", "7")]), "retry http.429"),
    ])
    func interpretsEveryAnswer(response: Response, summary: String) throws {
        let job = WarehouseWorker.Job(activation: Activation(), idempotencyKey: "a/0/0")
        #expect(try Self.worker().interpret(.response(response), of: job, Self.now).summary == summary)
    }

    private static func samples() throws -> [Rehearsal.Sample] {
        func sample(_ key: String?, _ value: [UInt8]?, _ ends: Set<String>) -> Rehearsal.Sample {
            Rehearsal.Sample(ChannelRecord(key: key.map { Array($0.utf8) }, value: value), ends: ends)
        }
        return try [
            sample("a", self.value(), ["succeeded"]), sample("b", self.value(), ["succeeded"]),
            sample(nil, self.value { $0.convertedAtMS = 1_700_000_000_000 }, ["succeeded"]),
            sample("a", self.value { $0.trackingAuthorized = false }, ["rejected"]),
            sample("c", Array("nonsense".utf8), ["dead_lettered"]), sample("d", nil, ["dead_lettered"]),
        ]
    }

    @Test func survivesAHundredStorms() throws {
        let rehearsal = Rehearsal(of: try Self.worker(), samples: try Self.samples()) { request in
            #expect(request.headers.map(\.name) == ["Authorization", "Content-Type", "Idempotency-Key"])
            return Response(201, body: Array("row 17".utf8))
        }
        let report = try rehearsal.storms(seeds: 0..<100)
        #expect(report.records > 1_000)
        #expect(report.faults > 1_000)
    }

    /// A worker that takes a captive portal's page for the warehouse's answer.
    @Test func aRehearsalFindsAWorkerThatGivesUp() throws {
        struct Hasty: Worker {
            static let identity = WarehouseWorker.identity

            init(_ settings: Settings) {}

            func plan(_ record: Record, _ attempt: Attempt) -> Plan<String> {
                .call(Request(.get, "https://warehouse.example/"), for: "job")
            }

            func interpret(_ exchange: Exchange, of job: String, _ attempt: Attempt) -> Verdict<String> {
                guard case .response(let response) = exchange, response.status == 201 else {
                    return .reject(Reason("failed", "It has failed."), as: .invalid)
                }
                return .answer([:])
            }
        }
        let sample = Rehearsal.Sample(ChannelRecord(key: nil, value: [1]))
        let rehearsal = Rehearsal(of: Hasty(try Settings(yaml: "{}")), samples: [sample]) { _ in Response(201)
        }
        #expect(throws: Rehearsal.Failed.self) { try rehearsal.storms(seeds: 0..<10) }
    }
}
