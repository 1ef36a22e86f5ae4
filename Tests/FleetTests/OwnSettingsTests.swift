import Foundation
import ServiceKit
import Testing
import WorkerTestSupport

@testable import Fleet

/// `fleet doctor` reads the settings that only one program has, as that program does.
struct OwnSettingsTests {
    @Test(arguments: [
        (Roster.intake.name, "attribution: {patience: 2d}", "attribution.patience"),
        (Roster.pushArrival.name, "push: {allowed_lateness: 31d}", "push.allowed_lateness"),
        (Roster.gateway.name, "gateway: {rate: 0}", "gateway.rate"),
    ])
    func namesAFaultOfItsOwnSettings(worker: String, text: String, setting: String) throws {
        let folder = try TemporaryFolder()
        let good = try folder.write("kafka: {brokers: \"b:1\"}\n", to: "good.yaml").path
        let bad = try folder.write("kafka: {brokers: \"b:1\"}\n\(text)\n", to: "bad.yaml").path
        #expect(try OwnSettings(good, of: worker).findings.map(\.verdict) == [.good])
        let findings = try OwnSettings(bad, of: worker).findings
        #expect(findings.contains { $0.verdict == .fault && $0.text.contains(setting) }, "\(findings)")
        #expect(!findings.contains { $0.verdict == .good || $0.verdict == .unchecked }, "\(findings)")
    }
}
