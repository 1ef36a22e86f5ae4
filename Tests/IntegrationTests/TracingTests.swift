import Foundation
import Records
import Testing
import UpstreamSimulator

/// The worker's spans as a collector gets them, which judges them by its own code.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TracingTests {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

    @Test func aCollectorGetsEachStepOfASampledRecord() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let collector = try await CollectorSimulator.start(CollectorSimulator.Settings())
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: "tracing:\n  endpoint: \(collector.url)\n  sample_ratio: 1\n"
        )
        var traced = Activations.good(1, to: cluster.input)
        traced.headers = [RecordHeader("traceparent", "00-\(Self.traceID)-00f067aa0ba902b7-01")]
        let bad = OutboundRecord(
            topic: cluster.input,
            key: [1],
            value: [0xFF],
            headers: [RecordHeader("traceparent", "00-\(Self.traceID)-00f067aa0ba902b8-01")]
        )
        try cluster.publish([traced, Activations.good(2, to: cluster.input), bad])
        let haveArrived = try await worker.waitForPage("/metrics") { _, _ in
            collector.spans().count { $0.name == "process \(cluster.input)" } >= 3
        }
        #expect(haveArrived, "\(worker.log)")
        let spans = collector.spans()
        #expect(collector.stats().broken == [:], "\(worker.log)")
        let mine = spans.filter { $0.traceID == Self.traceID }
        let process = try #require(mine.first { $0.parentID == "00f067aa0ba902b7" })
        #expect(process.links == ["\(Self.traceID)/00f067aa0ba902b7"])
        #expect(process.service == "activation-worker")
        #expect(process.attributes["flotilla.fate"] == "succeeded")
        let steps = mine.filter { $0.parentID == process.spanID }
        #expect(
            Set(steps.map(\.name)) == ["poll \(cluster.input)", "plan", "GET", "settle \(cluster.input)"],
            "\(mine)"
        )
        let call = try #require(steps.first { $0.name == "GET" })
        #expect(call.attributes["http.response.status_code"] == "200")
        #expect(call.attributes["server.port"] == String(gdt.port))
        #expect(call.attributes["peer.service"] == "gdt")
        // The record without a context begins a trace of its own.
        #expect(Set(spans.map(\.traceID)).count == 2)
        // The dead letter's line in the log leads to its trace.
        let letter = try #require(mine.first { $0.parentID == "00f067aa0ba902b8" })
        #expect(letter.isError && letter.attributes["flotilla.fate"] == "dead_lettered")
        let line = worker.log.split(separator: "\n").first { $0.contains("dead letter") }
        #expect(line?.contains("trace_id=\(Self.traceID)") == true, "\(worker.log)")
        #expect(line?.contains("span_id=\(letter.spanID)") == true)
        let exported = "tracing_spans_exported_total \(collector.stats().spans)\n"
        #expect(try await worker.waitForPage("/metrics") { $1.contains(exported) })
        #expect(worker.stop() == 0, "\(worker.log)")
        await collector.stop()
        await gdt.stop()
        try cluster.remove()
    }

    /// A collector that hangs or fails costs spans, which are counted, and no record waits for it.
    @Test func aCollectorThatFailsHoldsNothingUp() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        var settings = CollectorSimulator.Settings()
        settings.faults.hang = .always
        let collector = try await CollectorSimulator.start(settings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: "tracing:\n  endpoint: \(collector.url)/\n  sample_ratio: 1\n"
        )
        let count = 3_000
        try cluster.publish((0..<count).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: count), "\(worker.log)")
        let isCounted = try await worker.waitForPage("/metrics") {
            $1.contains(#"tracing_spans_dropped_total{cause="queue_full"} "#)
                && !$1.contains(#"tracing_spans_dropped_total{cause="queue_full"} 0"#)
        }
        #expect(isCounted)
        #expect(worker.stop() == 0, "\(worker.log)")
        await collector.stop()
        await gdt.stop()
        try cluster.remove()
    }
}
