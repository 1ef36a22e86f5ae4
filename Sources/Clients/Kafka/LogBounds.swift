internal import CRdKafka
import Synchronization

/// The offsets between which the log of a partition lies.
package struct LogBounds: Hashable, Sendable {
    /// The offset of the oldest record that the cluster still keeps; nil if it is not known.
    package var start: Int64?
    /// The offset that the next record will get.
    package var end: Int64

    /// Names the offset of the oldest record, and the one of the next record.
    package init(start: Int64?, end: Int64) {
        self.start = start
        self.end = end
    }
}

/// The bounds of the logs of a consumer's partitions, as the cluster last told them.
///
/// Each fetch tells the bounds of its partition. While the owner does not read, librdkafka fetches nothing, and
/// what the last fetch told grows old. So `refresh` asks the cluster, on a thread of its own because the
/// question waits.
@safe package final class LogBoundsWatch: Sendable {
    private let client: Client
    private let told = Mutex<[TopicPartition: LogBounds?]>([:])

    init(of client: Client) { self.client = client }

    /// Watches these partitions from now on, and no others.
    func follow(_ partitions: [TopicPartition]) {
        self.told.withLock { told in
            told = Dictionary(uniqueKeysWithValues: partitions.map { ($0, told[$0] ?? nil) })
        }
    }

    /// Asks the cluster for the bounds of every partition that is watched. Waits for it: at most twice this
    /// long for each partition. A partition that gets no answer keeps what is known.
    ///
    /// - Parameter isWanted: asked before each partition; false ends the call.
    package func refresh(atMost longest: Duration, while isWanted: () -> Bool) {
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        for partition in self.told.withLock({ $0.keys.sorted() }) where isWanted() {
            var (low, high) = (Int64(-1), Int64(-1))
            let code = unsafe rd_kafka_query_watermark_offsets(
                self.client.handle,
                partition.topic,
                partition.partition,
                &low,
                &high,
                milliseconds
            )
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR, low >= 0, high >= low else { continue }
            let bounds = LogBounds(start: low, end: high)
            self.told.withLock { told in
                // The partition may have been given up meanwhile.
                if told[partition] != nil { told[partition] = .some(bounds) }
            }
        }
    }

    /// Returns the newest bounds that are known of a partition: by an answer of the cluster, or by the last
    /// fetch. Never waits. Nil if nothing is known.
    func bounds(of partition: TopicPartition) -> LogBounds? {
        var (low, high) = (Int64(-1), Int64(-1))
        let code = unsafe rd_kafka_get_watermark_offsets(
            self.client.handle,
            partition.topic,
            partition.partition,
            &low,
            &high
        )
        let answer = self.told.withLock { $0[partition] ?? nil }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, high >= 0 else { return answer }
        let fetched = LogBounds(start: low >= 0 ? low : answer?.start, end: high)
        guard let answer else { return fetched }
        return LogBounds(
            start: [fetched.start, answer.start].compactMap(\.self).max(),
            end: max(fetched.end, answer.end)
        )
    }
}
