internal import CRdKafka

/// librdkafka's list of partitions with their offsets and metadata. The list is freed with this value.
@safe struct PartitionList: ~Copyable {
    let list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    init(_ positions: [CommittedPosition]) {
        unsafe self.list = rd_kafka_topic_partition_list_new(Int32(clamping: positions.count))
        for position in positions {
            let topic = position.partition.topic
            let entry = unsafe rd_kafka_topic_partition_list_add(
                self.list,
                topic,
                position.partition.partition
            )
            guard let entry = unsafe entry else { continue }
            unsafe entry.pointee.offset = position.offset ?? Int64(RD_KAFKA_OFFSET_INVALID)
            guard !position.metadata.isEmpty else { continue }
            // librdkafka frees the copy together with the list.
            unsafe entry.pointee.metadata = Self.copied(position.metadata)
            unsafe entry.pointee.metadata_size = position.metadata.utf8.count
        }
    }

    init(topics: [String]) {
        unsafe self.list = rd_kafka_topic_partition_list_new(Int32(clamping: topics.count))
        for topic in topics {
            unsafe rd_kafka_topic_partition_list_add(self.list, topic, RD_KAFKA_PARTITION_UA)
        }
    }

    deinit { unsafe rd_kafka_topic_partition_list_destroy(self.list) }

    /// Returns the entries of a list, each with the error that it carries. The caller keeps the list.
    static func entries(
        of list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
    ) -> [(position: CommittedPosition, error: KafkaError?)] {
        guard let list = unsafe list else { return [] }
        return unsafe (0..<Int(list.pointee.cnt)).map { index in
            let entry = unsafe list.pointee.elems[index]
            let metadata = unsafe entry.metadata.map {
                unsafe String(
                    decoding: UnsafeRawBufferPointer(start: $0, count: entry.metadata_size),
                    as: UTF8.self
                )
            }
            let position = CommittedPosition(
                partition: TopicPartition(
                    topic: unsafe String(cString: entry.topic),
                    partition: unsafe entry.partition
                ),
                offset: unsafe entry.offset >= 0 ? unsafe entry.offset : nil,
                metadata: metadata ?? ""
            )
            let failed = unsafe entry.err != RD_KAFKA_RESP_ERR_NO_ERROR
            return (position, failed ? KafkaError(unsafe entry.err) : nil)
        }
    }

    private static func copied(_ text: String) -> UnsafeMutableRawPointer? {
        let bytes = Array(text.utf8)
        let copy = unsafe rd_kafka_mem_malloc(nil, bytes.count + 1)
        unsafe bytes.withUnsafeBytes { source in
            guard let copy = unsafe copy, let start = source.baseAddress else { return }
            unsafe copy.copyMemory(from: start, byteCount: source.count)
        }
        return unsafe copy
    }
}
