import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// The commands of `fleet` that show a running worker and its records.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FleetGlanceTests {
    @Test func statusShowsAWorkerAndSaysWhenItIsGone() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)")
        try cluster.publish((0..<20).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 20), "\(worker.log)")
        // The gauges of lag follow once a second.
        #expect(
            try await worker.waitForPage("/metrics") { _, text in
                text.contains(#"worker_records_total{outcome="succeeded"} 20"#)
                    && text.contains("worker_partition_lag_records{")
            }
        )
        func status(_ options: String...) throws -> CommandUnderTest {
            let address = "127.0.0.1:\(try worker.healthPort())"
            return try CommandUnderTest(
                ["status", "--once", "--interval", "1", "--url", address] + options,
                of: "fleet"
            )
        }
        let table = try status()
        #expect(table.exitStatus() == 0)
        #expect(table.waitForLine("1 of 1 worker is ready"), "\(table.text)")
        #expect(table.text.contains("activation-worker "), "\(table.text)")
        #expect(!table.text.contains("\u{1B}"))
        let look = try status("--json")
        #expect(look.exitStatus() == 0)
        #expect(look.waitForLine("}\n"))
        let object = try JSONSerialization.jsonObject(with: Data(look.text.utf8)) as? NSDictionary
        let told = (object?["workers"] as? [NSDictionary])?.first
        #expect(told?["state"] as? String == "ready", "\(look.text)")
        #expect(told?["settled"] as? Int == 20, "\(look.text)")
        #expect(told?["partitions"] as? Int == 4, "\(look.text)")
        let port = try worker.healthPort()
        #expect(worker.stop() == 0, "\(worker.log)")
        let gone = try CommandUnderTest(["status", "--url", "127.0.0.1:\(port)"], of: "fleet")
        #expect(gone.exitStatus() == 1)
        #expect(gone.waitForLine("nothing listens there"), "\(gone.text)")
        await gdt.stop()
        try await cluster.end()
    }

    /// A record that fails, and one of the same key that does not, from their topics alone.
    @Test func traceTellsTheLifeOfARecord() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)")
        let key = Array("install-42".utf8)
        var good = Activations.good(0, to: cluster.input)
        good.key = key
        var bad = good
        bad.value = Array("hello".utf8)
        bad.headers = []
        try cluster.publish([good, bad])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 2), "\(worker.log)")
        func trace(_ record: String, _ options: String...) throws -> CommandUnderTest {
            try CommandUnderTest(["trace", record, "--config", worker.settingsPath] + options, of: "fleet")
        }
        let lives = try trace("install-42")
        #expect(lives.exitStatus() == 0)
        #expect(lives.waitForLine("explains it."), "\(lives.text)")
        #expect(lives.text.contains("outcome: succeeded after 1 call"), "\(lives.text)")
        #expect(lives.text.contains("It ended: succeeded."), "\(lives.text)")
        #expect(lives.text.contains("undecodable, value."), "\(lives.text)")
        for secret in ["install-42", "hello", "test_sign_key"] {
            #expect(!lives.text.contains(secret), "\(lives.text)")
        }
        // The dead letter leads back to its record, and to no other.
        let start = try #require(lives.text.firstRange(of: "dl-")?.lowerBound)
        let letter = String(lives.text[start...].prefix(35))
        let told = try trace(letter, "--json")
        #expect(told.exitStatus() == 0)
        let object = try JSONSerialization.jsonObject(with: Data(told.text.utf8)) as? NSDictionary
        #expect(object?["state"] as? String == "dead_lettered", "\(told.text)")
        let what = (object?["events"] as? [NSDictionary])?.compactMap { $0["what"] as? String }
        #expect(what == ["published", "dead_letter", "outcome"], "\(told.text)")
        let id = try #require(object?["id"] as? String)
        let same = try trace(id)
        #expect(same.exitStatus() == 0)
        #expect(same.waitForLine("'dead-letters show \(letter)'"), "\(same.text)")
        #expect(try trace("install-99").exitStatus() == 1)
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try await cluster.end()
    }

    /// The settings are looked at before and after something is wrong with them.
    @Test func doctorNamesEachFaultWithItsRemedy() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let url = "http://127.0.0.1:\(gdt.port)"
        let worker = try WorkerUnderTest(cluster, upstream: url)
        #expect(worker.waitForLog("assigned"), "\(worker.log)")
        func doctor() throws -> CommandUnderTest {
            try CommandUnderTest(["doctor", "--config", worker.settingsPath], of: "fleet")
        }
        let well = try doctor()
        #expect(well.exitStatus() == 0, "\(well.text)")
        #expect(
            well.waitForLine("ok: upstream gdt.url: 127.0.0.1:\(gdt.port) can be reached"),
            "\(well.text)"
        )
        #expect(well.text.contains("ok: settings: no faults"), "\(well.text)")
        #expect(well.text.contains("ok: preflight: "), "\(well.text)")
        await gdt.stop()
        let text = try String(contentsOfFile: worker.settingsPath, encoding: .utf8)
        try text.replacing(cluster.input, with: "\(cluster.input)-missing")
            .write(toFile: worker.settingsPath, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: worker.settingsPath)
        let ill = try doctor()
        #expect(ill.exitStatus() == 1)
        #expect(ill.waitForLine("fault: upstream gdt.url: "), "\(ill.text)")
        #expect(ill.text.contains("takes no connection"), "\(ill.text)")
        #expect(ill.text.contains("fault: preflight: The input topic"), "\(ill.text)")
        #expect(ill.text.contains("chmod 600 \(worker.settingsPath)"), "\(ill.text)")
        #expect(!ill.text.contains("test_sign_key"), "\(ill.text)")
        #expect(worker.stop() == 0, "\(worker.log)")
        try await cluster.end()
    }
}
