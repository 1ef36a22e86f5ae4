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
        for partition in self.told.withLock({ $0.keys.sorted() }) where isWanted() {
            // One question for all partitions would fail for all of them while one of them has no leader.
            guard let low = self.bound(LogReader.beginning, of: partition, atMost: longest),
                let high = self.bound(LogReader.end, of: partition, atMost: longest), high >= low
            else { continue }
            let bounds = LogBounds(start: low, end: high)
            self.told.withLock { told in
                // The partition may have been given up meanwhile.
                if told[partition] != nil { told[partition] = .some(bounds) }
            }
        }
    }

    private func bound(_ time: Int64, of partition: TopicPartition, atMost longest: Duration) -> Int64? {
        try? self.client.offsets(notBefore: [partition: time], atMost: longest)[partition]
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

extension Client {
    /// Returns, for each partition, the offset of the first record that is not older than a time in
    /// milliseconds since 1970; nil for a partition that has none. Waits for the cluster, at most this long.
    ///
    /// The protocol asks for the bounds of a log as if they were times (ListOffsets: -2 and -1). The function
    /// `rd_kafka_query_watermark_offsets` must not be used: it waits for a leader that is away until the
    /// leader is back, whatever limit it is given (librdkafka before 2.3, #2588).
    ///
    /// - Throws: the error of the request, or the first error of a partition.
    func offsets(
        notBefore times: [TopicPartition: Int64],
        atMost longest: Duration
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        guard !times.isEmpty else { return [:] }
        let list = PartitionList(times.map { CommittedPosition(partition: $0.key, offset: $0.value) })
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        try KafkaError.check(unsafe rd_kafka_offsets_for_times(self.handle, list.list, milliseconds))
        var offsets: [TopicPartition: Int64] = [:]
        for (position, error) in unsafe PartitionList.entries(of: list.list) {
            if let error { throw error }
            offsets[position.partition] = position.offset
        }
        return offsets
    }
}
