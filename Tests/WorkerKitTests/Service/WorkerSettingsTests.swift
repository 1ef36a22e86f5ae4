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
        ("group.protocol", "consumer", "group.protocol belongs to the worker and cannot be set"),
        ("message.timeout.ms", "1", "message.timeout.ms belongs to the worker and cannot be set"),
        ("no.such.property", "1", "no.such.property: no such property"),
    ])
    func refusesPropertiesThatBreakAPromise(name: String, value: String, problem: String) throws {
        let findings = try Self.findings("  properties:\n    - name: \(name)\n      value: '\(value)'\n")
        #expect(findings.count == 1 && findings.first?.hasSuffix("kafka.properties: \(problem)") == true)
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
