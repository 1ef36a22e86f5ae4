internal import NIOCore

extension Node {
    private struct Result {
        var partition: Int32
        var error: ErrorCode?
        var baseOffset: Int64 = -1
        var startOffset: Int64 = -1
    }

    private struct ProduceRequest {
        var transactionalID: String?
        var acknowledgements: Int16
        var topics: [TopicEntries<(partition: Int32, records: ByteBuffer)>]

        init(reading call: Call) throws(Malformed) {
            self.transactionalID = try call.body.nullableString()
            self.acknowledgements = try call.body.int16()
            _ = try call.body.int32()  // How long to wait for replicas, of which there are none.
            self.topics = try call.body.topics { (reader) throws(Malformed) in
                (try reader.int32(), try reader.records())
            }
        }
    }

    func produce(_ call: Call) throws(Malformed) {
        let request = try ProduceRequest(reading: call)
        let refusal = self.refusal(of: request)
        let results = request.topics.map { topic in
            topic.map { name, entry in
                let partition = TopicPartition(topic: name, partition: entry.partition)
                guard let refusal else {
                    return self.append(entry.records, to: partition, request, version: call.version)
                }
                if let batch = try? RecordBatch(validating: entry.records) {
                    self.partition(partition)?.refused(batch)
                }
                return Result(partition: entry.partition, error: refusal)
            }
        }
        for topic in request.topics {
            for entry in topic.entries {
                self.partition(TopicPartition(topic: topic.topic, partition: entry.partition))?.wake()
            }
        }
        if refusal == nil, self.dice.falls(self.faults.unansweredProduceShare) {
            self.faultCounts.unansweredProduces += 1
            call.cutConnection()
        } else if request.acknowledgements == 0 {
            // The client waits for no answer: all it could notice of an error is the end of the connection.
            results.contains { $0.entries.contains { $0.error != nil } }
                ? call.cutConnection() : call.leaveUnanswered()
        } else {
            Self.answer(call, results)
        }
    }

    /// Why nothing of the request is taken, if nothing is.
    private func refusal(of request: ProduceRequest) -> ErrorCode? {
        guard -1...1 ~= request.acknowledgements else { return .invalidRequiredAcks }
        guard self.dice.falls(self.faults.refusedProduceShare) else { return nil }
        self.faultCounts.refusedProduces += 1
        return Bool.random(using: &self.dice) ? .notEnoughReplicas : .notLeaderOrFollower
    }

    private func append(
        _ records: ByteBuffer,
        to place: TopicPartition,
        _ request: ProduceRequest,
        version: Int16
    ) -> Result {
        guard !self.faults.unwritableTopics.contains(place.topic) else {
            return Result(partition: place.partition, error: .topicAuthorizationFailed)
        }
        guard let topic = self.topics[place.topic], let partition = topic.partition(place.partition) else {
            return Result(partition: place.partition, error: .unknownTopicOrPartition)
        }
        do throws(ErrorCode) {
            if request.acknowledgements == -1, topic.configuration.number("min.insync.replicas") ?? 1 > 1 {
                throw .notEnoughReplicas
            }
            guard records.readableBytes <= topic.configuration.number("max.message.bytes") ?? 0 else {
                throw .messageTooLarge
            }
            let batch = try RecordBatch(validating: records)
            if batch.codec == 4, version < 7 { throw .unsupportedCompressionType }
            if let error = self.refusal(ofWriting: batch, to: place, in: request.transactionalID) {
                throw error
            }
            let offset = try partition.append(batch)
            return Result(
                partition: place.partition,
                baseOffset: offset,
                startOffset: partition.log.startOffset
            )
        } catch {
            return Result(partition: place.partition, error: error)
        }
    }

    /// Kafka asks the coordinator since 3.6, and words what will pass so that older clients try again.
    private func refusal(
        ofWriting batch: RecordBatch,
        to place: TopicPartition,
        in transactionalID: String?
    ) -> ErrorCode? {
        guard batch.isTransactional, let producer = batch.producer else { return nil }
        let error = self.transactions.refusal(ofWriting: place, in: transactionalID, by: producer)
        return error == .concurrentTransactions ? .notEnoughReplicas : error
    }

    private static func answer(_ call: Call, _ results: [TopicEntries<Result>]) {
        call.answer { writer in
            writer.topics(results) { writer, result in
                writer.integer(result.partition)
                writer.error(result.error)
                writer.integer(result.baseOffset)
                writer.integer(Int64(-1))  // The time of the append, unless the topic is so configured.
                if call.version >= 5 { writer.integer(result.startOffset) }
            }
            writer.noThrottle()
        }
    }
}
