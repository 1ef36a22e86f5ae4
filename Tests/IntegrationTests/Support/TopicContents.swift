import EventThread
import Kafka
import Records
import Testing

/// All that a topic holds, read from its beginning.
final class TopicContents {
    private let reader: TopicReader
    private(set) var records: [InboundRecord] = []

    init(_ topic: String, _ cluster: TestCluster) throws {
        let properties = ["bootstrap.servers": cluster.brokers, "fetch.wait.max.ms": "5"]
        self.reader = try TopicReader([topic], from: .beginning, properties, atMost: .seconds(10))
    }

    /// Reads on until this holds or the time is up.
    ///
    /// - Returns: whether it holds.
    func read(atMost longest: Duration = .patience, until isEnough: ([InboundRecord]) -> Bool) -> Bool {
        let deadline = ContinuousClock.now + longest
        var wait = Wait(on: [self.reader.descriptor])
        while true {
            let failed = { (error: KafkaError) in _ = Issue.record("reading: \(error)") }
            _ = self.reader.read(atMost: 1_000, { self.records.append($0) }, failed)
            if isEnough(self.records) { return true }
            guard ContinuousClock.now < deadline else { return false }
            if !self.reader.hasArrivals { wait(atMost: .milliseconds(100)) }
        }
    }

    /// Reads until there are so many different results.
    func read(outcomes count: Int, atMost longest: Duration = .patience) -> Bool {
        self.read(atMost: longest) { Set($0.compactMap(\.outcomeID)).count >= count }
    }
}
