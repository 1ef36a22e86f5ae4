import Operations
import Testing

@testable import ServiceKit
@testable import WorkerKit

/// The settings that every worker reads, whichever it is.
struct WorkerSettingsTests {
    /// - Returns: what is wrong, or worth a word, a line each.
    private static func findings(_ text: String, _ haste: Haste = .ordinary) throws -> [String] {
        let file = try SettingsFile(text: "kafka:\n  brokers: b:1\n\(text)", path: "w.yaml")
        let reader = SettingsReader(file: file, overrides: [])
        _ = WorkerSettings(reader, WorkerIdentity(name: "w", topic: "t", upstream: "u", haste: haste))
        do {
            return try reader.finish().map(\.description)
        } catch {
            return error.faults.map(\.description)
        }
    }

    /// A property that librdkafka does not know ended the worker when it started.
    @Test(arguments: [
        ("isolation.level", "read_uncommitted", "isolation.level belongs to the worker and cannot be set"),
        ("message.timeout.ms", "1", "message.timeout.ms belongs to the worker and cannot be set"),
        ("no.such.property", "1", "no.such.property: no such property"),
    ])
    func refusesPropertiesThatBreakAPromise(name: String, value: String, problem: String) throws {
        let findings = try Self.findings("  properties:\n    - name: \(name)\n      value: '\(value)'\n")
        #expect(findings.count == 1 && findings.first?.hasSuffix("kafka.properties: \(problem)") == true)
    }

    @Test(arguments: [
        ("[header:test=1, field:kind]", nil), ("[]", nil), ("header:test", nil),
        ("[test=1]", "worker.skip: must be header:NAME or field:NAME, with =VALUE or without"),
    ])
    func conditionsOfSkippedRecordsAreRead(list: String, problem: String?) throws {
        let findings = try Self.findings("worker: {skip: \(list)}\n")
        #expect(findings.count == (problem == nil ? 0 : 1))
        #expect(findings.first?.hasSuffix(problem ?? "") ?? true, "\(findings)")
    }

    /// A change of the format alone must not put the id of another schema before the values.
    @Test(arguments: [
        ("result_json_schema_id: 7", nil), ("result_format: protobuf, result_protobuf_schema_id: 7", nil),
        ("result_json_schema_id: 7, result_envelope: cloudevents", nil),
        (
            "result_json_schema_id: 0",
            "worker.result_json_schema_id: must be a whole number from 1 to 2147483647"
        ),
        (
            "result_protobuf_schema_id: 7",
            "worker.result_protobuf_schema_id: is the id of a .proto file, and results are written as json: set "
                + "result_json_schema_id, or result_format: protobuf"
        ),
        (
            "result_format: protobuf, result_json_schema_id: 7",
            "worker.result_json_schema_id: is the id of a JSON Schema, and results are written as protobuf: set "
                + "result_protobuf_schema_id, or result_format: json"
        ),
        (
            "result_json_schema_id: 7, result_envelope: cloudevents-structured",
            "worker.result_json_schema_id: cannot be combined with result_envelope: cloudevents-structured, because the "
                + "value is then an event, which the schema does not describe; take result_envelope: cloudevents"
        ),
    ])
    func aSchemaFitsTheResults(settings: String, problem: String?) throws {
        let findings = try Self.findings("worker: {\(settings)}\n")
        #expect(findings.count == (problem == nil ? 0 : 1))
        #expect(findings.first?.hasSuffix(problem ?? "") ?? true, "\(findings)")
    }

    @Test(arguments: [Haste.ordinary, .urgent])
    func aStopFitsWhatKubernetesGivesIt(haste: Haste) throws {
        #expect(try Self.findings("", haste) == [])
        #expect(try Self.findings("worker:\n  drain_limit: 17s\n", haste) == [])
        let findings = try Self.findings("worker:\n  drain_limit: 18s\n", haste)
        #expect(findings.count == 1)
        let told = findings.first ?? ""
        #expect(told.contains(":4:16: warning: worker.drain_limit: a stop can take 31 s"), "\(told)")
        #expect(told.hasSuffix("set the pod's terminationGracePeriodSeconds to 31 or more"), "\(told)")
    }

    /// The drain, the last commit and leaving the group are not the whole of it.
    @Test func theLongestStopCountsEverythingThatItWaitsFor() {
        var settings = EngineSettings(
            inputTopic: "t",
            groupID: "g",
            worker: "w",
            workerVersion: "1",
            upstream: "u"
        )
        #expect(settings.longestStop <= .seconds(28))
        settings.drainLimit = .seconds(1)
        settings.commitLimit = .seconds(2)
        #expect(settings.longestStop == .seconds(8))
    }
    @Test func theConditionsForAStartAreThoseOfTheEngine() {
        var settings = EngineSettings(
            inputTopic: "t",
            groupID: "g",
            worker: "w",
            workerVersion: "1",
            upstream: "u"
        )
        settings.retryTiers = [RetryTier(topic: "t.retry.1m", delay: .seconds(60))]
        settings.messageBytesLimit = 1_000
        let expected = Preflight(
            inputTopic: "t",
            resultTopic: "t.result",
            deadLetterTopic: "t.dead-letter",
            parkedTopic: "t.parked",
            retryTiers: settings.retryTiers,
            deadline: .seconds(7 * 24 * 3_600),
            messageBytesLimit: 1_000
        )
        #expect(Preflight(settings) == expected)
    }
}
