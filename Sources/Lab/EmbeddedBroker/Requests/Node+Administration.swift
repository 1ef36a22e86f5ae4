extension Node {
    private struct TopicResult {
        var name: String
        var error: ErrorCode?
        var message: String?
    }

    // MARK: CreateTopics

    private struct NewTopic {
        var name: String
        var partitions: Int32
        var replicas: Int16
        var assignments: [(partition: Int32, replicas: [Int32])]
        var settings: [(name: String, value: String?)]

        init(reading reader: inout Reader) throws(Malformed) {
            self.name = try reader.string()
            self.partitions = try reader.int32()
            self.replicas = try reader.int16()
            self.assignments = try reader.array { (reader) throws(Malformed) in
                (try reader.int32(), try reader.array { (reader) throws(Malformed) in try reader.int32() })
            }
            self.settings = try reader.array { (reader) throws(Malformed) in
                (try reader.string(), try reader.nullableString())
            }
        }
    }

    /// Handles a CreateTopics request.
    func createTopics(_ call: Call) throws(Malformed) {
        let topics = try call.body.array { (reader) throws(Malformed) in try NewTopic(reading: &reader) }
        _ = try call.body.int32()  // The timeout: not used.
        // `validate_only`: the request is checked, and nothing is created.
        let isRehearsal = try call.body.boolean()
        let results = topics.map { topic in
            self.mayCreate(topic.name, call)
                ? self.create(topic, isRehearsal: isRehearsal)
                : TopicResult(name: topic.name, error: .topicAuthorizationFailed)
        }
        Self.answer(call, results, withMessage: true)
    }

    private func create(_ topic: NewTopic, isRehearsal: Bool) -> TopicResult {
        var result = TopicResult(name: topic.name)
        let isAssigned = !topic.assignments.isEmpty
        if isAssigned, !topic.assignments.allSatisfy({ $0.replicas == [Self.id] }) {
            result.error = .invalidReplicaAssignment
            return result
        }
        // A replica count of -1 leaves the number to the broker. With explicit assignments, the assignments
        // decide.
        guard topic.replicas == 1 || topic.replicas == -1 else {
            (result.error, result.message) = (.invalidReplicationFactor, "there is one broker")
            return result
        }
        let count =
            isAssigned
            ? topic.assignments.count
            : topic.partitions == -1 ? self.settings.automaticPartitions ?? 1 : Int(topic.partitions)
        do {
            let settings = topic.settings.compactMap { setting in setting.value.map { (setting.name, $0) } }
            let configuration = try TopicConfiguration(Dictionary(settings) { $1 })
            if isRehearsal {
                result.error = self.topics[topic.name] == nil ? nil : .topicAlreadyExists
            } else {
                result.error = self.createTopic(topic.name, partitions: count, configuration)
            }
        } catch let error as TopicConfiguration.InvalidSetting {
            (result.error, result.message) = (.invalidConfig, error.name)
        } catch {
            result.error = .unknown
        }
        return result
    }

    // MARK: DeleteTopics

    func deleteTopics(_ call: Call) throws(Malformed) {
        let names = try call.body.array { (reader) throws(Malformed) in try reader.string() }
        let results = names.map { name in
            TopicResult(
                name: name,
                error: self.refusal(of: call, .delete, topic: name) ?? self.deleteTopic(name)
            )
        }
        call.answer { writer in
            if call.version >= 1 { writer.noThrottle() }
            writer.array(results) { writer, result in
                writer.string(result.name)
                writer.error(result.error)
            }
        }
    }

    // MARK: CreatePartitions

    /// Handles a CreatePartitions request.
    func createPartitions(_ call: Call) throws(Malformed) {
        let wishes = try call.body.array { (reader) throws(Malformed) in
            let (name, count) = (try reader.string(), try reader.int32())
            _ = try reader.nullableArray { (reader) throws(Malformed) in
                try reader.array { (reader) throws(Malformed) in try reader.int32() }
            }
            return (name: name, count: Int(count))
        }
        _ = try call.body.int32()  // The timeout: not used.
        let isRehearsal = try call.body.boolean()
        let results = wishes.map { wish in
            TopicResult(
                name: wish.name,
                error: self.refusal(of: call, .alter, topic: wish.name)
                    ?? self.grow(wish.name, to: wish.count, isRehearsal: isRehearsal)
            )
        }
        Self.answer(call, results, withMessage: true)
    }

    private func grow(_ name: String, to count: Int, isRehearsal: Bool) -> ErrorCode? {
        guard let topic = self.topics[name] else { return .unknownTopicOrPartition }
        let more = count - topic.partitions.count
        guard more > 0 else { return .invalidPartitions }
        guard self.partitionCount + more <= BrokerSettings.partitionLimit else { return .policyViolation }
        if !isRehearsal { topic.grow(to: count) }
        return nil
    }

    private static func answer(_ call: Call, _ results: [TopicResult], withMessage: Bool) {
        call.answer { writer in
            writer.noThrottle()
            writer.array(results) { writer, result in
                writer.string(result.name)
                writer.error(result.error)
                if withMessage { writer.string(result.message) }
            }
        }
    }

    // MARK: AlterConfigs

    private struct Alteration {
        var kind: Int8
        var name: String
        var settings: [(name: String, value: String?)]
    }

    /// Handles an AlterConfigs request, which replaces all settings of a topic.
    func alterConfigs(_ call: Call) throws(Malformed) {
        let wishes = try call.body.array { (reader) throws(Malformed) in
            Alteration(
                kind: try reader.int8(),
                name: try reader.string(),
                settings: try reader.array { (reader) throws(Malformed) in
                    (try reader.string(), try reader.nullableString())
                }
            )
        }
        let isRehearsal = try call.body.boolean()
        let results = wishes.map { wish in
            self.refusal(of: call, .alterConfigs, topic: wish.name)
                .map { (wish, TopicResult(name: wish.name, error: $0)) }
                ?? (wish, self.alter(wish, isRehearsal: isRehearsal))
        }
        call.answer { writer in
            writer.noThrottle()
            writer.array(results) { writer, result in
                writer.error(result.1.error)
                writer.string(result.1.message)
                writer.integer(result.0.kind)
                writer.string(result.0.name)
            }
        }
    }

    private func alter(_ wish: Alteration, isRehearsal: Bool) -> TopicResult {
        var result = TopicResult(name: wish.name)
        guard wish.kind == ResourceKind.topic else {
            (result.error, result.message) = (.invalidRequest, "only topics can be altered")
            return result
        }
        guard let topic = self.topics[wish.name] else {
            result.error = .unknownTopicOrPartition
            return result
        }
        do {
            let settings = wish.settings.compactMap { setting in setting.value.map { (setting.name, $0) } }
            let configuration = try TopicConfiguration(Dictionary(settings) { $1 })
            if !isRehearsal { topic.configure(configuration) }
        } catch let error as TopicConfiguration.InvalidSetting {
            (result.error, result.message) = (.invalidConfig, error.name)
        } catch {
            result.error = .unknown
        }
        return result
    }

    // MARK: DescribeConfigs

    private enum ResourceKind {
        static let topic: Int8 = 2
        static let broker: Int8 = 4
    }

    /// The source of a setting's value, with the numbers of Kafka's protocol.
    private enum Source {
        static let topic: Int8 = 1
        static let broker: Int8 = 4
        static let builtIn: Int8 = 5
    }

    private struct Resource {
        var kind: Int8
        var name: String
        var wanted: [String]?
    }

    func describeConfigs(_ call: Call) throws(Malformed) {
        let resources = try call.body.array { (reader) throws(Malformed) in
            Resource(
                kind: try reader.int8(),
                name: try reader.string(),
                wanted: try reader.nullableArray { (reader) throws(Malformed) in try reader.string() }
            )
        }
        _ = try call.body.boolean()  // Whether to include synonyms: a setting here has none.
        call.answer { writer in
            writer.noThrottle()
            writer.array(resources) { writer, resource in
                let refusal = self.refusal(ofDescribing: resource, call)
                let settings = refusal == nil ? self.settings(of: resource) : nil
                writer.error(
                    settings != nil
                        ? nil
                        : refusal
                            ?? (resource.kind == ResourceKind.topic
                                ? .unknownTopicOrPartition : .invalidRequest)
                )
                writer.string(nil)
                writer.integer(resource.kind)
                writer.string(resource.name)
                let told = (settings ?? []).filter { resource.wanted?.contains($0.name) ?? true }
                writer.array(told) { writer, setting in
                    writer.string(setting.name)
                    writer.string(setting.value)
                    writer.boolean(resource.kind == ResourceKind.broker)  // read only
                    writer.integer(setting.source)
                    writer.boolean(false)  // sensitive
                    writer.array([]) { (_: inout Writer, _: Never) in }
                }
            }
        }
    }

    private func refusal(ofDescribing resource: Resource, _ call: Call) -> ErrorCode? {
        guard resource.kind != ResourceKind.topic else {
            return self.refusal(of: call, .describeConfigs, topic: resource.name)
        }
        let isAllowed = self.allows(call, .describeConfigs, on: .cluster, named: AccessRules.cluster)
        return isAllowed ? nil : .clusterAuthorizationFailed
    }

    private func settings(of resource: Resource) -> [(name: String, value: String, source: Int8)]? {
        switch resource.kind {
        case ResourceKind.topic:
            guard let configuration = self.topics[resource.name]?.configuration else { return nil }
            return TopicConfiguration.defaults.map { name, value in
                let own = configuration.overrides[name]
                return (name, own ?? value, own == nil ? Source.builtIn : Source.topic)
            }
        case ResourceKind.broker where resource.name == String(Self.id):
            return [
                (
                    "auto.create.topics.enable", String(self.settings.automaticPartitions != nil),
                    Source.broker
                ),
                ("offset.metadata.max.bytes", String(self.settings.offsetMetadataByteLimit), Source.broker),
                (
                    "transaction.max.timeout.ms",
                    String(Int(self.settings.longestTransactionTimeout / .milliseconds(1))), Source.broker
                ),
            ]
        default: return nil
        }
    }
}
