import Kafka
import ServiceKit
import Testing
import UpstreamHTTP

@testable import Fleet

/// The judgements of `fleet doctor`, without a cluster and without an upstream.
struct DoctorTests {
    private static let topics = [
        WantedTopic(role: "input", name: "activation", partitions: .any, settings: [], isInput: true),
        WantedTopic(role: "result", name: "activation.result", partitions: .any, settings: []),
        WantedTopic(role: "dead-letter", name: "activation.dead-letter", partitions: .any, settings: []),
    ]

    private static func retention(_ input: String?, _ letters: String?) -> [Finding] {
        var settings: [String: TopicSettings] = [:]
        settings["activation"] = input.map { TopicSettings(["retention.ms": $0]) }
        settings["activation.dead-letter"] = letters.map { TopicSettings(["retention.ms": $0]) }
        return RetentionCheck.findings(Self.topics, settings: settings, deadline: .seconds(3_600))
    }

    @Test func retentionIsComparedWithTheDeadlineAndWithPeople() {
        #expect(Self.retention("3600000", "345600000").map(\.verdict) == [.good, .good])
        #expect(Self.retention("-1", "-1").map(\.verdict) == [.good, .good])
        #expect(Self.retention(nil, nil).map(\.verdict) == [.unchecked, .unchecked])
        let short = Self.retention("3599999", "345599999")
        #expect(short.map(\.verdict) == [.warning, .warning])
        #expect(short[0].text.hasSuffix("Set it to 3600000 or more."))
        #expect(short[0].text.contains("worker.deadline"))
        #expect(short[1].text.hasSuffix("Set it to 345600000 or more."))
    }

    @Test(arguments: [
        (nil, Finding.Verdict.unchecked), (1_000_000, .good), (1_002_000, .good), (1_002_001, .warning),
        (0, .good),
    ])
    func aRecordIsNotNewerThanNow(newest: Int64?, verdict: Finding.Verdict) {
        #expect(ClockCheck.finding(of: "activation", newest: newest, now: 1_000_000).verdict == verdict)
    }

    @Test(arguments: [(Int64(14), Finding.Verdict.good), (13, .warning), (-1, .warning)])
    func aCertificateNearItsEndIsTold(days: Int64, verdict: Finding.Verdict) {
        let finding = UpstreamCheck.finding("upstream u", "host", end: days * 86_400, now: 0)
        #expect(finding.verdict == verdict)
        #expect(finding.text.contains("\(days) days"))
    }

    /// Each failure names what to look at.
    @Test(arguments: [
        (TransferError.Kind.resolve, "name servers"), (.connect, "port"), (.timeout, "firewalls"),
        (.tls, "http.ca_file"),
    ])
    func aFailureNamesItsRemedy(kind: TransferError.Kind, remedy: String) {
        let error = TransferError(kind: kind, mayHaveBeenSent: false, message: "m")
        #expect(UpstreamCheck.words(for: error, "host").contains(remedy))
    }

    @Test func aFindingIsALine() {
        let finding = Finding(.unchecked, "clocks", saying: "no record")
        #expect(finding.line == "not checked: clocks: no record")
    }
}
