internal import CRdKafka

/// Creates, enlarges, changes and deletes topics. Every call waits for the cluster's answer.
@safe package final class Admin {
    private let client: Client

    /// Makes a client for the cluster. It writes no log, because each call returns its error.
    ///
    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers`.
    /// - Throws: a `KafkaError` that names the first property that librdkafka refuses.
    package init(_ properties: [String: String]) throws(KafkaError) {
        let properties = ["log_level": "0"].merging(properties) { $1 }
        self.client = try Client(RD_KAFKA_PRODUCER, properties, events: 0)
    }

    /// Creates several topics in one request. A topic that fails does not stop the others.
    ///
    /// - Parameters:
    ///   - partitionCounts: the number of partitions of each topic, by the topic's name.
    ///   - replicationFactor: -1 for the brokers' default.
    ///   - settings: the settings of each topic, by Kafka's names, such as `cleanup.policy`.
    ///   - longest: the longest time to wait for the answer.
    /// - Throws: the first error of any topic; `topicAlreadyExists` if the topic existed before.
    package func createTopics(
        _ partitionCounts: [String: Int],
        replicationFactor: Int = -1,
        settings: [String: String] = [:],
        atMost longest: Duration
    ) throws(KafkaError) {
        var topics = unsafe partitionCounts.sorted { $0.key < $1.key }.map { name, partitions in
            unsafe rd_kafka_NewTopic_new(
                name,
                Int32(clamping: partitions),
                Int32(clamping: replicationFactor),
                nil,
                0
            )
        }
        defer { unsafe rd_kafka_NewTopic_destroy_array(&topics, topics.count) }
        for index in unsafe topics.indices {
            for (name, value) in settings {
                try KafkaError.check(unsafe rd_kafka_NewTopic_set_config(topics[index], name, value))
            }
        }
        let event = try unsafe self.client.answer(atMost: longest) { queue in
            unsafe rd_kafka_CreateTopics(self.client.handle, &topics, topics.count, nil, queue)
        }
        var count = 0
        let results = unsafe rd_kafka_CreateTopics_result_topics(event.event, &count)
        try unsafe Self.check(results, count)
    }

    /// Adds partitions to a topic until it has `count` of them.
    package func grow(_ topic: String, to count: Int, atMost longest: Duration) throws(KafkaError) {
        guard let wish = unsafe rd_kafka_NewPartitions_new(topic, count, nil, 0) else {
            throw KafkaError(code: .invalidConfiguration, message: "no such number of partitions: \(count)")
        }
        var wishes = unsafe [Optional(wish)]
        defer { unsafe rd_kafka_NewPartitions_destroy(wish) }
        let event = try unsafe self.client.answer(atMost: longest) { queue in
            unsafe rd_kafka_CreatePartitions(self.client.handle, &wishes, wishes.count, nil, queue)
        }
        var answers = 0
        let results = unsafe rd_kafka_CreatePartitions_result_topics(event.event, &answers)
        try unsafe Self.check(results, answers)
    }

    /// Replaces the settings that were made for a topic. A setting that is not among them gets the brokers' default:
    /// librdkafka 2.0.2 has no request that changes a single one.
    ///
    /// - Parameters:
    ///   - settings: all settings of the topic that are to differ from the defaults, by Kafka's names.
    ///   - longest: the longest time to wait for the answer.
    package func replaceSettings(
        of topic: String,
        with settings: [String: String],
        atMost longest: Duration
    ) throws(KafkaError) {
        let resource = unsafe rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic)
        var resources = unsafe [resource]
        defer { unsafe rd_kafka_ConfigResource_destroy_array(&resources, resources.count) }
        for (name, value) in settings {
            let code = unsafe rd_kafka_ConfigResource_set_config(resource, name, value)
            try KafkaError.check(code)
        }
        let event = try unsafe self.client.answer(atMost: longest) { queue in
            unsafe rd_kafka_AlterConfigs(self.client.handle, &resources, resources.count, nil, queue)
        }
        var count = 0
        guard let answers = unsafe rd_kafka_AlterConfigs_result_resources(event.event, &count) else { return }
        for index in 0..<count {
            let code = unsafe rd_kafka_ConfigResource_error(answers[index])
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                guard let message = unsafe rd_kafka_ConfigResource_error_string(answers[index]) else {
                    throw KafkaError(code)
                }
                throw KafkaError(code: KafkaError.Code(code), message: unsafe String(cString: message))
            }
        }
    }

    /// Deletes several topics in one request. A topic that fails does not stop the others.
    ///
    /// - Throws: the first error of any topic.
    package func deleteTopics(_ names: [String], atMost longest: Duration) throws(KafkaError) {
        var topics = unsafe names.map { unsafe rd_kafka_DeleteTopic_new($0) }
        defer { unsafe rd_kafka_DeleteTopic_destroy_array(&topics, topics.count) }
        let event = try unsafe self.client.answer(atMost: longest) { queue in
            unsafe rd_kafka_DeleteTopics(self.client.handle, &topics, topics.count, nil, queue)
        }
        var count = 0
        let results = unsafe rd_kafka_DeleteTopics_result_topics(event.event, &count)
        try unsafe Self.check(results, count)
    }

    /// Returns the cluster's topics and their numbers of partitions. Waits for the cluster, at most this
    /// long.
    package func metadata(atMost longest: Duration) throws(KafkaError) -> ClusterMetadata {
        try self.client.metadata(atMost: longest)
    }

    private static func check(
        _ results: UnsafeMutablePointer<OpaquePointer?>?,
        _ count: Int
    ) throws(KafkaError) {
        guard let results = unsafe results else { return }
        for index in 0..<count {
            try KafkaError.check(unsafe rd_kafka_topic_result_error(results[index]))
        }
    }
}
