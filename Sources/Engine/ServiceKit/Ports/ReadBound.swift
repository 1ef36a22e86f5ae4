package import Kafka

/// The end of a run that reads a part of its input only, as an operator says it.
package enum ReadBound: Hashable, Sendable {
    /// The end of each partition as it is found at the start.
    case end
    /// The first record of each partition that is not older than this time, in milliseconds since 1970. A partition
    /// without such a record is read up to its end, as it is found at the start.
    case time(Int64)
    /// This offset of each partition. A partition that ends before it is waited for.
    case offset(Int64)

    /// Returns the offset at which the reading of each partition of these topics ends. Waits for the cluster, at most
    /// this long for each of its answers.
    ///
    /// - Throws: The error of a request, the first error of a partition, or `timedOut` if the end of one is not told.
    package func bounds(
        of topics: [String],
        in broker: KafkaBroker,
        atMost longest: Duration
    ) throws(KafkaError) -> ReadBounds {
        let counts = try broker.consumer.metadata(atMost: longest).partitionCounts
        let partitions = topics.flatMap { topic in
            (0..<Int32(clamping: counts[topic] ?? 0)).map { TopicPartition(topic: topic, partition: $0) }
        }
        func each(_ number: Int64) -> [TopicPartition: Int64] {
            Dictionary(partitions.map { ($0, number) }) { $1 }
        }
        if case .offset(let offset) = self { return ReadBounds(topics: topics, each(offset)) }
        // The ends are asked for first: a record that comes between the two answers is not older than the time.
        var bounds = try broker.consumer.offsets(notBefore: each(LogReader.end), atMost: longest)
        guard bounds.count == partitions.count else {
            throw KafkaError(code: .timedOut, message: "the cluster does not tell the end of each partition")
        }
        if case .time(let time) = self {
            let firsts = try broker.consumer.offsets(notBefore: each(time), atMost: longest)
            bounds.merge(firsts) { min($0, $1) }
        }
        return ReadBounds(topics: topics, bounds)
    }
}
