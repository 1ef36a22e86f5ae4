import Foundation
import Records
import Testing
import UpstreamSimulator

/// The worker's executable, a broker and GDT's simulator, as a backend sees them. One after the other: each has
/// processes of its own, and the machine two cores.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct EndToEndTests {
    @Test func everyRecordGetsExactlyTheOutcomeItDeserves() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let zero =
            #"{"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE","deviceId":"00000000-0000-0000-0000-000000000000","convertedAt":"2026-01-01T00:00:00Z"}"#
        let megabyte = [UInt8](repeating: UInt8(ascii: "x"), count: 900_000)
        let many = (0..<10_000).map { RecordHeader("h\($0)", "v") }
        let records: [(record: OutboundRecord, fate: String, reason: String?)] = [
            (Activations.good(1, to: cluster.input), "succeeded", nil),
            (Activations.good(2, to: cluster.input, clickID: "sim-503x2-a"), "succeeded", nil),
            (Activations.good(3, to: cluster.input, clickID: "sim-429x1-a"), "succeeded", nil),
            (Activations.good(4, to: cluster.input, clickID: "sim-cutx1-a"), "succeeded", nil),
            (Activations.good(5, to: cluster.input, clickID: "sim-ret-15-a"), "rejected", "gdt.-15"),
            (Activations.good(6, to: cluster.input, clickID: "sim-ret-1-a"), "dead_lettered", "gdt.-1"),
            (
                OutboundRecord(topic: cluster.input, key: [1], value: Array(zero.utf8)), "rejected",
                "device_id.zero"
            ),
            (OutboundRecord(topic: cluster.input, key: [2], value: nil), "dead_lettered", "value.tombstone"),
            (OutboundRecord(topic: cluster.input, key: [3], value: []), "dead_lettered", "value.empty"),
            (OutboundRecord(topic: cluster.input, key: [4], value: Array("{".utf8)), "dead_lettered", nil),
            (
                OutboundRecord(topic: cluster.input, key: [5], value: [0xFF, 0xFE, 0x7B]), "dead_lettered",
                nil
            ),
            (
                OutboundRecord(
                    topic: cluster.input,
                    key: [6],
                    value: Array("{\"appId\":\"\u{FF}".utf8) + [0xC3]
                ), "dead_lettered", nil
            ),
            (OutboundRecord(topic: cluster.input, key: [7], value: megabyte), "dead_lettered", nil),
            (
                OutboundRecord(topic: cluster.input, key: [8], value: Array("{}".utf8), headers: many),
                "dead_lettered", nil
            ),
            (OutboundRecord(topic: cluster.input, key: nil, value: Array("[]".utf8)), "dead_lettered", nil),
        ]
        // One partition, so that the offsets are the order of publishing.
        try cluster.publish(
            records.map { entry in
                var record = entry.record
                record.partition = 0
                return record
            }
        )
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: Self.quickRetries
        )
        let results = try TopicContents(cluster.results, cluster)
        #expect(
            results.read(outcomes: records.count),
            "\(results.records.count) outcomes; log: \(worker.log)"
        )
        #expect(worker.stop() == 0, "\(worker.log)")

        let outcomes = Dictionary(results.records.compactMap(\.outcome).map { ($0.id, $0) }) { first, _ in
            first
        }
        let letters = try TopicContents(cluster.deadLetters, cluster)
        let dead = records.filter { $0.fate == "dead_lettered" }.count
        #expect(letters.read { $0.count >= dead })
        for (offset, expected) in records.enumerated() {
            let outcome = try #require(outcomes["\(cluster.input)/0/\(offset)"])
            #expect(outcome.fate == expected.fate, "record \(offset): \(outcome)")
            if let reason = expected.reason { #expect(outcome.reason?.code == reason) }
            guard expected.fate == "dead_lettered" else { continue }
            let letter = try #require(letters.records.first { $0.text(of: "dlq.id") == outcome.deadLetterId })
            #expect(letter.key == expected.record.key)
            #expect(letter.value == expected.record.value || letter.text(of: "dlq.value_omitted") != nil)
            #expect(Array(letter.headers.prefix(expected.record.headers.count)) == expected.record.headers)
            #expect(letter.text(of: "__dlq.errors.offset") == "\(offset)")
        }
        #expect(letters.records.count == dead)
        await gdt.stop()
        try cluster.remove()
    }

    @Test func aStoppedWorkerLeavesNothingForTheNext() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try cluster.publish((0..<500).map { Activations.good($0, to: cluster.input) })
        let first = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)")
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 500), "\(first.log)")
        #expect(first.stop() == 0, "\(first.log)")
        // The next one has only the new records to do: had anything been left uncommitted, GDT would hear it again.
        try cluster.publish((500..<600).map { Activations.good($0, to: cluster.input) })
        let second = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)")
        #expect(results.read(outcomes: 600), "\(second.log)")
        #expect(second.stop() == 0, "\(second.log)")
        #expect(gdt.stats().accepted == 600)
        #expect(gdt.stats().duplicates == 0)
        #expect(results.records.count == 600)
        await gdt.stop()
        try cluster.remove()
    }

    @Test func anOutageDeadLettersNothing() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: Self.quickRetries + "\nworker:\n  attempts: 2\n"
        )
        // One record through, so that the outage meets a worker that works.
        try cluster.publish([Activations.good(0, to: cluster.input)])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 1), "\(worker.log)")
        var outage = Faults()
        outage.serverError = .init(status: 503, when: .always)
        await gdt.setFaults(outage)
        try cluster.publish((1..<300).map { Activations.good($0, to: cluster.input) })
        #expect(worker.waitForLog("circuit breaker open"), "\(worker.log)")
        await gdt.setFaults(Faults())
        #expect(results.read(outcomes: 300), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        #expect(results.records.allSatisfy { $0.outcome?.fate == "succeeded" })
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(!letters.read(atMost: .seconds(1)) { !$0.isEmpty })
        await gdt.stop()
        try cluster.remove()
    }

    @Test func workersOfOneGroupShareTheWork() async throws {
        let cluster = try TestCluster(partitions: 8)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let upstream = "http://127.0.0.1:\(gdt.port)"
        let workers = [
            try WorkerUnderTest(cluster, upstream: upstream),
            try WorkerUnderTest(cluster, upstream: upstream),
        ]
        let results = try TopicContents(cluster.results, cluster)
        try cluster.publish((0..<2_000).map { Activations.good($0, to: cluster.input) })
        #expect(results.read(outcomes: 2_000), "\(workers.map(\.log))")
        for worker in workers { #expect(worker.stop() == 0, "\(worker.log)") }
        #expect(results.records.allSatisfy { $0.outcome?.fate == "succeeded" })
        await gdt.stop()
        try cluster.remove()
    }

    @Test func aMissingTopicIsNamedBeforeTheFirstRecord() async throws {
        let cluster = try TestCluster(withDeadLetters: false)
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:9", kafka: "start_limit: 1s")
        #expect(worker.exitStatus() == 1)
        #expect(
            worker.log.contains("The dead-letter topic '\(cluster.deadLetters)' does not exist"),
            "\(worker.log)"
        )
        try cluster.remove()
    }

    static let quickRetries = """
        retry:
          base: 20ms
          longest: 500ms
        breaker:
          first_pause: 200ms
          longest_pause: 1s
        """
}
