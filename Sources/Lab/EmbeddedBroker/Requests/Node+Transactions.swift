extension Node {
    // MARK: InitProducerId

    func initProducerID(_ call: Call) throws(Malformed) {
        let version = call.version
        let id = try call.body.nullableString()
        let timeout = try call.body.duration()
        let known =
            version >= 3 ? ProducerIdentity(id: try call.body.int64(), epoch: try call.body.int16()) : nil
        let result: Result<ProducerIdentity, ErrorCode> =
            if let error = self.refusal(ofProducerOf: call, id) {
                .failure(error)
            } else {
                self.producer(id, known.flatMap { $0.id >= 0 ? $0 : nil }, timeout: timeout)
            }
        call.answer { writer in
            writer.noThrottle()
            switch result {
            case .success(let producer):
                writer.error(nil)
                writer.integer(producer.id)
                writer.integer(producer.epoch)
            case .failure(let error):
                writer.error(version < 4 ? Self.asBefore(error) : error)
                writer.integer(Int64(-1))
                writer.integer(Int16(-1))
            }
            writer.endStructure()
        }
    }

    /// The error of a client that may not be a producer of this kind, or nil. Since KIP-679, one that may write to any
    /// topic may be an idempotent producer.
    private func refusal(ofProducerOf call: Call, _ id: String?) -> ErrorCode? {
        if let id { return self.refusal(of: call, .write, transactionalID: id) }
        let mayWrite =
            self.allows(call, .idempotentWrite, on: .cluster, named: AccessRules.cluster)
            || self.access.allowsAny(call.client.identity.principal, .write, on: .topic)
        return mayWrite ? nil : .clusterAuthorizationFailed
    }

    private func producer(
        _ id: String?,
        _ known: ProducerIdentity?,
        timeout: Duration
    ) -> Result<ProducerIdentity, ErrorCode> {
        // A producer without a transactional id only needs a producer id that is unique.
        guard let id else {
            return .success(ProducerIdentity(id: self.transactions.newProducerID(), epoch: 0))
        }
        if let error = self.coordinatorError { return .failure(error) }
        return self.transactions.initialize(id, known, timeout: timeout)
    }

    // MARK: AddPartitionsToTxn and AddOffsetsToTxn

    func addPartitionsToTransaction(_ call: Call) throws(Malformed) {
        let id = try call.body.string()
        let producer = ProducerIdentity(id: try call.body.int64(), epoch: try call.body.int16())
        let topics = try call.body.topics { (reader) throws(Malformed) in try reader.int32() }
        let partitions = topics.flatMap { topic in
            topic.entries.map { TopicPartition(topic: topic.topic, partition: $0) }
        }
        // As in Kafka, one partition that is unknown or not writable fails the whole request.
        let refused = Set(
            partitions.filter {
                self.faults.unwritableTopics.contains($0.topic)
                    || !self.allows(call, .write, on: .topic, named: $0.topic)
            }
        )
        let unknown = Set(partitions.filter { self.partition($0) == nil }).subtracting(refused)
        var error = self.refusal(of: call, .write, transactionalID: id) ?? self.coordinatorError
        if error == nil, unknown.isEmpty, refused.isEmpty {
            error = self.transactions.add(partitions: partitions, to: id, by: producer)
        }
        call.answer { writer in
            writer.noThrottle()
            writer.topics(
                topics.map { topic in
                    topic.map { name, index in TopicPartition(topic: name, partition: index) }
                }
            ) { writer, partition in
                writer.integer(partition.partition)
                if unknown.contains(partition) {
                    writer.error(error ?? .unknownTopicOrPartition)
                } else if refused.contains(partition) {
                    writer.error(error.map(Self.asBefore) ?? .topicAuthorizationFailed)
                } else {
                    let isWhole = unknown.isEmpty && refused.isEmpty
                    writer.error(error.map(Self.asBefore) ?? (isWhole ? nil : .operationNotAttempted))
                }
            }
        }
    }

    func addOffsetsToTransaction(_ call: Call) throws(Malformed) {
        let id = try call.body.string()
        let producer = ProducerIdentity(id: try call.body.int64(), epoch: try call.body.int16())
        let groupID = try call.body.string()
        let error =
            self.refusal(of: call, .write, transactionalID: id)
            ?? self.refusal(of: call, .read, group: groupID)
            ?? self.coordinatorError
            ?? self.transactions.add(partitions: [], groups: [groupID], to: id, by: producer)
        Self.answer(call, error)
    }

    // MARK: EndTxn

    func endTransaction(_ call: Call) throws(Malformed) {
        let id = try call.body.string()
        let producer = ProducerIdentity(id: try call.body.int64(), epoch: try call.body.int16())
        let outcome: TransactionOutcome = try call.body.boolean() ? .commit : .abort
        let error =
            self.refusal(of: call, .write, transactionalID: id)
            ?? self.coordinatorError ?? self.transactions.end(id, outcome, by: producer)
        if error == nil, self.dice.falls(self.faults.unansweredEndShare) {
            self.faultCounts.unansweredEnds += 1
            call.cutConnection()
        } else {
            Self.answer(call, error)
        }
    }

    private static func answer(_ call: Call, _ error: ErrorCode?) {
        call.answer { writer in
            writer.noThrottle()
            writer.error(error.map(Self.asBefore))
        }
    }

    /// Replaces PRODUCER_FENCED by INVALID_PRODUCER_EPOCH for requests in a version before KIP-588.
    /// InitProducerId version 4 is the only supported request with the newer error.
    private static func asBefore(_ error: ErrorCode) -> ErrorCode {
        error == .producerFenced ? .invalidProducerEpoch : error
    }
}
