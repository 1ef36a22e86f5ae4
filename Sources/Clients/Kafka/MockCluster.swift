internal import CRdKafka

/// librdkafka's own mock broker, which speaks the Kafka protocol over loopback TCP and keeps everything in
/// memory.
///
/// It has no transactions, answers no admin calls, and keeps about 5 MB for each partition. The article
/// BrokersAndUpstreams of Fleet lists all limits.
@safe package final class MockCluster {
    private let client: Client
    private let cluster: OpaquePointer

    /// Starts the cluster. It ends with this object.
    ///
    /// - Parameter brokers: the number of simulated brokers. Each listens on a port of its own on 127.0.0.1.
    /// - Throws: a fatal error if the cluster does not start.
    package init(brokers: Int = 1) throws(KafkaError) {
        self.client = try Client(RD_KAFKA_PRODUCER, ["log_level": "0"], events: 0)
        guard let cluster = unsafe rd_kafka_mock_cluster_new(self.client.handle, Int32(clamping: brokers))
        else {
            throw KafkaError(
                code: .init(RD_KAFKA_RESP_ERR__FAIL),
                message: "the mock cluster did not start",
                isFatal: true
            )
        }
        unsafe self.cluster = cluster
    }

    deinit { unsafe rd_kafka_mock_cluster_destroy(self.cluster) }

    /// The addresses of all brokers, as `host:port[,host:port…]`.
    package var bootstrapServers: String {
        unsafe String(cString: rd_kafka_mock_cluster_bootstraps(self.cluster))
    }

    /// Creates a topic whose partitions have one replica each.
    package func createTopic(_ name: String, partitions: Int) throws(KafkaError) {
        try KafkaError.check(
            unsafe rd_kafka_mock_topic_create(self.cluster, name, Int32(clamping: partitions), 1)
        )
    }
}
