internal import CRdKafka

/// The settings of a topic as the cluster reports them, by Kafka's names (`retention.ms`, `cleanup.policy`,
/// …).
package struct TopicSettings: Hashable, Sendable {
    private var values: [String: String]
    /// The settings that were made for this topic, by their names. All others follow from the brokers' defaults.
    package private(set) var own: [String: String]

    /// Makes settings from names and values.
    ///
    /// - Parameter own: The settings that were made for the topic.
    package init(_ values: [String: String], own: [String: String] = [:]) {
        self.values = values
        self.own = own
    }

    /// The text of a setting; nil if the cluster does not report it.
    package subscript(name: String) -> String? { self.values[name] }

    /// Returns the number of a setting; nil if the cluster does not report it, or it is not a whole number.
    package func number(_ name: String) -> Int64? { self.values[name].flatMap { Int64($0) } }
}

extension Consumer {
    /// Asks for the settings of topics. Waits for the cluster, at most this long.
    ///
    /// - Returns: the settings of the topics that the cluster reports. Topics that this client may not
    ///   describe are absent.
    /// - Throws: a `KafkaError` if the cluster does not answer, or does not support the request.
    package func settings(
        of topics: [String],
        atMost longest: Duration
    ) throws(KafkaError) -> [String: TopicSettings] {
        guard !topics.isEmpty else { return [:] }
        var resources = unsafe topics.map { name in
            unsafe rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name)
        }
        defer { unsafe rd_kafka_ConfigResource_destroy_array(&resources, resources.count) }
        let event = try unsafe self.client.answer(atMost: longest) { queue in
            unsafe rd_kafka_DescribeConfigs(self.client.handle, &resources, resources.count, nil, queue)
        }
        var count = 0
        guard let answers = unsafe rd_kafka_DescribeConfigs_result_resources(event.event, &count) else {
            return [:]
        }
        var settings: [String: TopicSettings] = [:]
        for index in 0..<count {
            guard let answer = unsafe answers[index],
                unsafe rd_kafka_ConfigResource_error(answer) == RD_KAFKA_RESP_ERR_NO_ERROR,
                let name = unsafe rd_kafka_ConfigResource_name(answer)
            else { continue }
            settings[unsafe String(cString: name)] = unsafe Self.settings(answer)
        }
        return settings
    }

    private static func settings(_ resource: OpaquePointer) -> TopicSettings {
        var count = 0
        var (values, own): ([String: String], [String: String]) = ([:], [:])
        guard let entries = unsafe rd_kafka_ConfigResource_configs(resource, &count) else {
            return TopicSettings(values)
        }
        for index in 0..<count {
            guard let entry = unsafe entries[index], let name = unsafe rd_kafka_ConfigEntry_name(entry),
                let value = unsafe rd_kafka_ConfigEntry_value(entry)
            else { continue }
            values[unsafe String(cString: name)] = unsafe String(cString: value)
            if unsafe rd_kafka_ConfigEntry_source(entry) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG {
                own[unsafe String(cString: name)] = unsafe String(cString: value)
            }
        }
        return TopicSettings(values, own: own)
    }
}
