extension Node {
    // MARK: InitProducerId

    func initProducerID(_ call: Call) throws(Malformed) {
        let version = call.version
        let id = try call.body.nullableString()
        let timeout = try call.body.duration()
        let known =
            version >= 3 ? ProducerIdentity(id: try call.body.int64(), epoch: try call.body.int16()) : nil
        let result = self.producer(id, known.flatMap { $0.id >= 0 ? $0 : nil }, timeout: timeout)
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
        let unknown = Set(partitions.filter { self.partition($0) == nil })
        let refused = Set(partitions.filter { self.faults.unwritableTopics.contains($0.topic) })
        var error = self.coordinatorError
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
            self.coordinatorError
            ?? self.transactions.add(partitions: [], groups: [groupID], to: id, by: producer)
        Self.answer(call, error)
    }

    // MARK: EndTxn

    func endTransaction(_ call: Call) throws(Malformed) {
        let id = try call.body.string()
        let producer = ProducerIdentity(id: try call.body.int64(), epoch: try call.body.int16())
        let outcome: TransactionOutcome = try call.body.boolean() ? .commit : .abort
        let error = self.coordinatorError ?? self.transactions.end(id, outcome, by: producer)
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
