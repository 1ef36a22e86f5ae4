import EventThread
import Kafka
import Records
package import ServiceKit

// A look into a changelog before a worker joins its group: a member that got only partitions without records would
// find out nothing while it restores its state.
extension StateSpread {
    /// The number of last offsets of each partition that are looked at. Most of them are records; the rest are
    /// the markers of transactions.
    private static var tail: Int64 { 64 }
    /// The number of records that are taken at once.
    private static var batch: Int { 1_000 }

    /// Reads the last records of every partition of the changelog.
    ///
    /// - Parameters:
    ///   - memory: Reads nothing before and nothing afterwards.
    ///   - partitions: The number of partitions that the topic has.
    ///   - longest: How long the cluster may take.
    ///   - descriptor: Readable when there may be something to read.
    /// - Throws: `PreflightFailure` if a record was written with another number of partitions, or `KafkaError` if
    ///   the cluster does not show the records in time.
    package func check(
        _ memory: some MemoryReader,
        partitions: Int,
        atMost longest: Duration,
        pausingOn descriptor: Int32
    ) throws {
        // No key is at home in a partition beyond, whatever was once written there.
        let all = (0..<min(Int32(clamping: partitions), self.homes)).map {
            TopicPartition(topic: self.topic, partition: $0)
        }
        var unread = try memory.ends(of: all).filter { $0.value > 0 }
        guard !unread.isEmpty else { return }
        try memory.start(at: unread.mapValues { max(0, $0 - Self.tail) })
        let deadline = ContinuousClock.now + longest
        var pause = Wait(on: [descriptor])
        var failure: PreflightFailure?
        while failure == nil, !unread.isEmpty {
            let taken = memory.read(atMost: Self.batch) { record in
                failure = failure ?? self.failure(of: record)
                let place = TopicPartition(topic: record.topic, partition: record.partition)
                if let end = unread[place], record.offset + 1 >= end { unread[place] = nil }
            } _: { _ in
                // librdkafka tries again, and the time is bounded.
            }
            unread = unread.filter { memory.readEnd(of: $0.key) == nil }
            guard taken == 0, failure == nil, !unread.isEmpty else { continue }
            guard ContinuousClock.now < deadline else {
                let message = "the cluster does not show the state in '\(self.topic)'"
                throw KafkaError(code: .timedOut, message: message)
            }
            pause(atMost: .milliseconds(100))
        }
        try memory.stop()
        if let failure { throw failure }
    }
}
