import Foundation
import Operations
import Records
import Simulation
import Synchronization
import Testing
import UpstreamHTTP
import WireFormats

@testable import WorkerKit

/// The spans of records, from the engine to the bytes for a collector.
struct TracingTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let traced = [
        RecordHeader("traceparent", "00-\(traceID)-00f067aa0ba902b7-01")
    ]

    private let registry = PrometheusRegistry()

    private func simulation(ratio: Double, queue: SpanQueue) -> Simulation {
        let simulation = Simulation()
        let clock = Mutex(Int64(1_750_000_000_000_000_000))
        simulation.tracer = Tracer(queue, ratio: ratio, settings: simulation.settings, seed: 1) {
            clock.withLock {
                $0 += 1_000
                return $0
            }
        }
        return simulation
    }

    @Test func aRecordLeavesASpanForEachStepWithinThePublishersTrace() throws {
        let queue = SpanQueue(registry: self.registry)
        let simulation = self.simulation(ratio: 1, queue: queue)
        var calls = 0
        simulation.reply = { _ in
            calls += 1
            return Reply(calls == 1 ? 503 : 200)
        }
        simulation.cluster.append("x", headers: Self.traced)
        let worker = simulation.startWorker()
        try simulation.settleEverything()
        let spans = queue.take(atMost: 100)
        #expect(Set(spans.map(\.context.traceID)) == [Self.traceID])
        let process = try #require(spans.first { $0.kind == .consumer })
        #expect(process.name == "process \(SimulatedCluster.topic)")
        #expect(process.parent?.parentID == "00f067aa0ba902b7")
        #expect(process.link?.parentID == "00f067aa0ba902b7")
        let inner = spans.filter { $0.kind != .consumer }
        #expect(inner.allSatisfy { $0.parent?.parentID == process.context.parentID })
        #expect(inner.allSatisfy { process.start <= $0.start && $0.start <= $0.end && $0.end <= process.end })
        let names = inner.map { $0.name.prefix { $0 != " " } }
        #expect(names.filter { $0 == "POST" }.count == worker.upstream.calls.count)
        #expect(Set(names) == ["poll", "plan", "POST", "settle"])
        // Each call carries the id of its own span on.
        let sent = worker.upstream.calls.map { call in
            call.request.headers.first { $0.name == "traceparent" }?.value ?? ""
        }
        #expect(sent == inner.filter { $0.name == "POST" }.map { $0.context.parent })
        #expect(Set(spans.map(\.context.parentID)).count == spans.count)
        #expect(simulation.violations == [])
    }

    @Test func onlyRecordsThatThePublisherTracesAreTraced() throws {
        let queue = SpanQueue(registry: self.registry)
        let simulation = self.simulation(ratio: 1, queue: queue)
        let unsampled = RecordHeader("traceparent", "00-\(Self.traceID)-00f067aa0ba902b7-00")
        simulation.cluster.append("x", headers: [unsampled])
        let worker = simulation.startWorker()
        try simulation.settleEverything()
        #expect(queue.count == 0)
        // The trace goes on all the same, as if nothing were traced here.
        let headers = try #require(worker.upstream.calls.first?.request.headers)
        let sent = try #require(headers.first { $0.name == "traceparent" })
        #expect(sent.value.hasPrefix("00-\(Self.traceID)-") && sent.value.hasSuffix("-00"))
    }

    /// Another worker with the same ratio chooses the same traces, because the trace id decides.
    @Test(arguments: [0.0, 0.1, 0.5, 1.0])
    func theShareOfTracesIsTheRatio(ratio: Double) throws {
        let queue = SpanQueue(registry: self.registry)
        let settings = Simulation().settings
        let one = Tracer(queue, ratio: ratio, settings: settings, seed: 1)
        let other = Tracer(queue, ratio: ratio, settings: settings, seed: 2)
        let record = InboundRecord(topic: "t", partition: 0, offset: 0)
        var random = SystemRandomNumberGenerator()
        var count = 0
        var own = 0
        for _ in 0..<4_000 {
            let context = TraceContext(traceHigh: random.next(), low: random.next())
            let isChosen = one.begin(record, context) != nil
            #expect(isChosen == (other.begin(record, context) != nil))
            count += isChosen ? 1 : 0
            own += one.begin(record, nil) == nil ? 0 : 1
        }
        #expect(abs(Double(count) / 4_000 - ratio) < 0.05, "\(count)")
        #expect(abs(Double(own) / 4_000 - ratio) < 0.05, "\(own)")
    }

    @Test func aFullQueueDropsAndCounts() throws {
        let queue = SpanQueue(registry: self.registry)
        let simulation = self.simulation(ratio: 1, queue: queue)
        for index in 0..<3_000 { simulation.cluster.append("\(index)") }
        simulation.startWorker()
        try simulation.settleEverything()
        // The spans of a record that does not fit are dropped together.
        #expect(queue.count <= SpanQueue.limit && queue.count > SpanQueue.limit - 10)
        let line = self.registry.exposition().split(separator: "\n")
            .first { $0.hasPrefix(#"tracing_spans_dropped_total{cause="queue_full"}"#) }
        let dropped = try #require(line?.split(separator: " ").last.flatMap { Int($0) })
        #expect(dropped + queue.count >= 15_000)
        #expect(simulation.violations == [])
    }

    @Test func deadLettersAndExpiriesAreErrors() throws {
        let queue = SpanQueue(registry: self.registry)
        let simulation = self.simulation(ratio: 1, queue: queue)
        simulation.cluster.append("undecodable", headers: Self.traced)
        let worker = simulation.startWorker()
        try simulation.settleEverything()
        let process = try #require(queue.take(atMost: 10).first { $0.kind == .consumer })
        #expect(process.error == "undecodable")
        #expect(worker.log.values(of: "trace_id") == [Self.traceID])
        #expect(worker.log.values(of: "span_id") == [process.context.parentID])
    }

    @Test func theBytesAreJSONWithoutTheURLsPath() throws {
        let queue = SpanQueue(registry: self.registry)
        let simulation = self.simulation(ratio: 1, queue: queue)
        simulation.cluster.append("a \"secret\" value", key: "a-key", headers: Self.traced)
        simulation.startWorker()
        try simulation.settleEverything()
        let body = OTLPRequest.body(
            queue.take(atMost: 10),
            resource: [("service.name", "w\n\"")],
            version: "1"
        )
        let json = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        #expect(json?.keys.sorted() == ["resourceSpans"])
        let text = String(decoding: body, as: UTF8.self)
        for secret in ["secret", "a-key", "/first"] { #expect(!text.contains(secret), "\(text)") }
        #expect(text.contains(#""traceId":"\#(Self.traceID)""#))
    }
}
