import Fleet
import Foundation
import Glibc
import Harness
import Kafka
import ServiceKit
import Terminal
import UpstreamHTTP
import UpstreamSimulator
import WorkerKit

/// One run of a worker over a full topic, with its own broker and its own upstream.
struct CostRun {
    /// The number of partitions of each topic.
    static let partitions = 16

    /// The worker's measurements, from the arrival of the first record to the settlement of the last one.
    struct Measure: Decodable, Hashable, Sendable {
        var records: Int
        var perSecond: Double
        /// The user and system time of the worker's process per record, in microseconds.
        var cpuMicroseconds: Double
        /// The peak resident memory of the worker's process.
        var peakKibibytes: Double

        private enum CodingKeys: String, CodingKey {
            case records
            case perSecond = "per_second"
            case cpuMicroseconds = "cpu_us"
            case peakKibibytes = "rss_kib"
        }
    }

    let options: CostOptions
    let delivery: EngineSettings.Delivery
    let harness: Harness
    let file: WorkerFile
    let wish: StopWish

    /// Starts broker and upstream, publishes the records, and runs the worker.
    func measure() throws -> Measure {
        // However this run ends, the next one must start without its processes.
        defer { self.clear() }
        let own = try Sibling.path(of: "flotilla-lab")
        let topics = [
            Roster.activation.topic, Roster.activation.resultTopic, Roster.activation.deadLetterTopic,
        ].flatMap { ["--topic", "\($0):\(Self.partitions)"] }
        let broker = try self.harness.start(
            "the broker",
            own,
            arguments: ["broker", "--kind", "embedded", "--until-stdin-closes"] + topics
        )
        let upstream = try self.harness.start(
            "the simulator",
            own,
            arguments: ["upstreams", "--until-stdin-closes", "--keys", self.file.upstreamKeysPath]
        )
        try self.harness.turn { broker.firstLine != nil && upstream.firstLine != nil }
        let (brokers, url) = (broker.firstLine ?? "", upstream.firstLine ?? "")
        try self.slowDown(url)
        try self.fill(brokers)
        try self.file.write(
            brokers: brokers,
            upstream: url,
            worker: ["concurrency: \(self.options.concurrency)", "delivery: \(self.delivery.rawValue)"]
        )
        return try self.work()
    }

    /// Stops all processes.
    private func clear() {
        let leaving = self.harness.remaining
        self.harness.dismiss(leaving)
        for child in leaving { self.harness.forget(child) }
    }

    /// Sets the latency of the simulated upstream.
    private func slowDown(_ url: String) throws {
        let milliseconds = self.options.latencyMilliseconds
        let faults = Faults(latency: .init(milliseconds: milliseconds, jitterMilliseconds: 0))
        let body = Array(try JSONEncoder().encode(faults))
        _ = try self.harness.fetch(HTTPRequest(method: .post, url: "\(url)/control/faults", body: body))
    }

    /// Publishes good activations, each with a different device.
    private func fill(_ brokers: String) throws {
        let publisher = try Publisher(["bootstrap.servers": brokers], verbose: false)
        var make = Activations(topic: Roster.activation.topic, now: Moment.now.wall)
        for _ in 0..<self.options.records {
            guard self.wish.count == 0 else { throw Harness.Interrupted() }
            publisher.publish(make.json(make.message()), self.wish)
        }
        publisher.finish(self.wish)
        guard publisher.delivered == self.options.records else {
            throw Complaint("\(self.options.records - publisher.delivered) records were not published")
        }
    }

    /// Runs the worker, and reads the measurements from the last line of its output.
    private func work() throws -> Measure {
        let words = [
            "run", "--config", self.file.path, "--stop-after", String(self.options.records), "--summary",
        ]
        let program = try Sibling.path(of: Roster.activation.name)
        let worker = try self.harness.start("the worker", program, arguments: words, mayEnd: true)
        try self.harness.turn { worker.process.exit != nil }
        guard worker.process.exit == .code(0), let line = worker.lastLine,
            let measure = try? JSONDecoder().decode(Measure.self, from: Data(line.utf8)),
            measure.records == self.options.records
        else {
            throw Complaint("the worker has failed:\n  \(worker.lastWords.joined(separator: "\n  "))")
        }
        return measure
    }
}
