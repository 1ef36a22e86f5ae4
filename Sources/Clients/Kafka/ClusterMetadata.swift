internal import CRdKafka

/// The topics of a cluster, each with its number of partitions.
package struct ClusterMetadata: Hashable, Sendable {
    /// The number of partitions of each topic, by the topic's name. Topics that the client may not see, or
    /// that the cluster reports with an error, are absent.
    package var partitionCounts: [String: Int]
    /// The number of copies that each topic has of the partition with the fewest.
    package var replicaCounts: [String: Int]

    /// Makes metadata from counts.
    package init(partitionCounts: [String: Int], replicaCounts: [String: Int] = [:]) {
        self.partitionCounts = partitionCounts
        self.replicaCounts = replicaCounts
    }
}

extension Client {
    /// Asks for all topics. A request for a single topic would create it where the brokers are configured to
    /// do so.
    ///
    /// - Throws: the error of the request, such as `timedOut`.
    func metadata(atMost longest: Duration) throws(KafkaError) -> ClusterMetadata {
        var answer: UnsafePointer<rd_kafka_metadata>?
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        try KafkaError.check(unsafe rd_kafka_metadata(self.handle, 1, nil, &answer, milliseconds))
        guard let metadata = unsafe answer else { return ClusterMetadata(partitionCounts: [:]) }
        defer { unsafe rd_kafka_metadata_destroy(metadata) }
        var found = ClusterMetadata(partitionCounts: [:])
        for index in 0..<Int(unsafe metadata.pointee.topic_cnt) {
            let topic = unsafe metadata.pointee.topics[index]
            guard unsafe topic.err == RD_KAFKA_RESP_ERR_NO_ERROR else { continue }
            let (name, count) = (unsafe String(cString: topic.topic), Int(unsafe topic.partition_cnt))
            found.partitionCounts[name] = count
            found.replicaCounts[name] =
                (0..<count).map { Int(unsafe topic.partitions[$0].replica_cnt) }.min()
        }
        return found
    }

    /// Returns the cluster's id, or nil if no broker tells it in time.
    func clusterID(atMost longest: Duration) -> String? {
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        guard let id = unsafe rd_kafka_clusterid(self.handle, milliseconds) else { return nil }
        defer { unsafe rd_kafka_mem_free(self.handle, id) }
        return unsafe String(cString: id)
    }
}

extension Consumer {
    /// Returns the cluster's topics and their numbers of partitions. Waits for the broker, at most this long.
    package func metadata(atMost longest: Duration) throws(KafkaError) -> ClusterMetadata {
        try self.client.metadata(atMost: longest)
    }
}

extension Producer {
    /// Returns the cluster's topics and their numbers of partitions. Waits for the broker, at most this long.
    package func metadata(atMost longest: Duration) throws(KafkaError) -> ClusterMetadata {
        try self.client.metadata(atMost: longest)
    }
}
