import EventThread
import Foundation
import Kafka
import Records
import Testing
import UpstreamSimulator

/// The time that the worker adds to an answer for which Apple takes a millisecond, when there is nothing else
/// to do.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DeviceCheckLatencyTests {
    /// Publishes one record at a time and reads both topics, so that the broker's own share is known.
    @Test(.enabled(if: TestCluster.isEmbedded))
    func anIdleWorkerAddsAFewMilliseconds() async throws {
        let cluster = try await TestCluster.transactional(partitions: 1)
        var settings = DeviceCheckSimulator.Settings(teams: DeviceChecks.teams)
        settings.faults.latency = .init(milliseconds: 1)
        let apple = try await DeviceCheckSimulator.start(settings)
        let worker = try DeviceChecks.worker(cluster, apple, fetchWait: "100ms")
        let properties = ["bootstrap.servers": cluster.brokers, "fetch.wait.max.ms": "500"]
        let inputs = try TopicReader([cluster.input], from: .beginning, properties, atMost: .seconds(10))
        let results = try TopicReader([cluster.results], from: .beginning, properties, atMost: .seconds(10))
        let producer = try Producer(["bootstrap.servers": cluster.brokers, "linger.ms": "0"])
        let clock = ContinuousClock()
        var (hops, totals): ([Duration], [Duration]) = ([], [])
        for index in 0..<330 {
            let record = DeviceChecks.record("query", to: cluster.input, device: "d\(index)", id: "\(index)")
            let start = clock.now
            try producer.send(record, id: UInt64(index))
            let hop = try #require(Self.arrival(at: inputs, clock), "\(worker.log)")
            let total = try #require(Self.arrival(at: results, clock), "\(worker.log)")
            producer.serve { _ in }
            // The first wait for the worker's group and its connections.
            guard index >= 30 else { continue }
            hops.append(start.duration(to: hop))
            totals.append(start.duration(to: total))
        }
        #expect(worker.stop() == 0, "\(worker.log)")
        #expect(apple.stats().requests == 330)
        let (hop, total) = (Self.median(hops), Self.median(totals))
        let added = total - .milliseconds(1)
        print(
            """
            DeviceCheck, \(totals.count) queries one after the other, upstream 1 ms: record in to result out \
            median \(Self.text(total)), 95th percentile \(Self.text(Self.quantile(totals, 0.95))); without the \
            upstream's millisecond \(Self.text(added)); of that one hop through the broker \(Self.text(hop)), \
            which every record takes twice.
            """
        )
        // The goal is met by the optimised build on an idle machine; this one may be neither.
        #expect(added < .milliseconds(Self.isOptimised ? 5 : 50))
        await apple.stop()
        try await cluster.end()
    }

    private static var isOptimised: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// When the next record came; nil if none did.
    private static func arrival(at reader: TopicReader, _ clock: ContinuousClock) -> ContinuousClock.Instant?
    {
        let deadline = clock.now + .seconds(30)
        var wait = Wait(on: [reader.descriptor])
        var arrival: ContinuousClock.Instant?
        while arrival == nil, clock.now < deadline {
            _ = reader.read(atMost: 1, { _ in arrival = clock.now }) { Issue.record("reading: \($0)") }
            if arrival == nil, !reader.hasArrivals { wait(atMost: .milliseconds(100)) }
        }
        return arrival
    }

    private static func median(_ durations: [Duration]) -> Duration { self.quantile(durations, 0.5) }

    private static func quantile(_ durations: [Duration], _ share: Double) -> Duration {
        let sorted = durations.sorted()
        let index = Int(Double(sorted.count - 1) * share)
        return sorted.indices.contains(index) ? sorted[index] : .zero
    }

    private static func text(_ duration: Duration) -> String {
        let microseconds =
            duration.components.attoseconds / 1_000_000_000_000 + duration.components.seconds * 1_000_000
        return "\(Double(microseconds) / 1_000) ms"
    }
}
