internal import NIOCore

extension Node {
    private struct Result {
        var partition: Int32
        var error: ErrorCode?
        var baseOffset: Int64 = -1
        var startOffset: Int64 = -1
        /// The time that the broker put on the records; −1 if they keep that of their producer.
        var appendTime: Int64 = -1
    }

    private struct ProduceRequest {
        var transactionalID: String?
        var acknowledgements: Int16
        var topics: [TopicEntries<(partition: Int32, records: ByteBuffer)>]

        init(reading call: Call) throws(Malformed) {
            self.transactionalID = try call.body.nullableString()
            self.acknowledgements = try call.body.int16()
            _ = try call.body.int32()  // The timeout for replicas: there are none.
            self.topics = try call.body.topics { (reader) throws(Malformed) in
                (try reader.int32(), try reader.records())
            }
        }
    }

    /// Handles a Produce request: appends the batches, unless a fault refuses the request as a whole.
    func produce(_ call: Call) throws(Malformed) {
        let request = try ProduceRequest(reading: call)
        let refusal = self.refusal(of: request, call)
        let results = request.topics.map { topic in
            topic.map { name, entry in
                let partition = TopicPartition(topic: name, partition: entry.partition)
                // A refused batch is still shown to its partition, so that the producer's batches behind it
                // are refused as well.
                guard let refusal else {
                    return self.append(entry.records, to: partition, for: request, of: call)
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
            // With `acks=0` the client reads no response. The broker can report an error only by closing the
            // connection.
            results.contains { $0.entries.contains { $0.error != nil } }
                ? call.cutConnection() : call.leaveUnanswered()
        } else {
            Self.answer(call, results)
        }
    }

    /// The error with which the whole request is refused, or nil. Injected faults are drawn here.
    private func refusal(of request: ProduceRequest, _ call: Call) -> ErrorCode? {
        if let id = request.transactionalID, let error = self.refusal(of: call, .write, transactionalID: id) {
            return error
        }
        guard self.dice.falls(self.faults.refusedProduceShare) else { return nil }
        self.faultCounts.refusedProduces += 1
        return Bool.random(using: &self.dice) ? .notEnoughReplicas : .notLeaderOrFollower
    }

    private func append(
        _ records: ByteBuffer,
        to place: TopicPartition,
        for request: ProduceRequest,
        of call: Call
    ) -> Result {
        if let error = self.refusal(of: call, .write, topic: place.topic) {
            return Result(partition: place.partition, error: error)
        }
        guard !self.faults.unwritableTopics.contains(place.topic) else {
            return Result(partition: place.partition, error: .topicAuthorizationFailed)
        }
        guard let topic = self.topics[place.topic], let partition = topic.partition(place.partition) else {
            return Result(partition: place.partition, error: .unknownTopicOrPartition)
        }
        do throws(ErrorCode) {
            // As in Kafka, a client learns this only if it may write to the topic.
            guard -1...1 ~= request.acknowledgements else { throw .invalidRequiredAcks }
            if request.acknowledgements == -1, topic.configuration.number("min.insync.replicas") ?? 1 > 1 {
                throw .notEnoughReplicas
            }
            guard records.readableBytes <= topic.configuration.number("max.message.bytes") ?? 0 else {
                throw .messageTooLarge
            }
            var batch = try RecordBatch(validating: records)
            if batch.codec == 4, call.version < 7 { throw .unsupportedCompressionType }
            if let error = self.refusal(ofWriting: batch, to: place, in: request.transactionalID) {
                throw error
            }
            var result = Result(partition: place.partition)
            if topic.configuration.value(of: "message.timestamp.type") == "LogAppendTime" {
                result.appendTime = self.clock.now()
                batch.stamp(at: result.appendTime)
            }
            result.baseOffset = try partition.append(batch)
            result.startOffset = partition.log.startOffset
            return result
        } catch {
            return Result(partition: place.partition, error: error)
        }
    }

    /// The error with which the transaction coordinator refuses the batch, or nil.
    ///
    /// Kafka checks this since version 3.6. Like Kafka, the broker replaces CONCURRENT_TRANSACTIONS by
    /// NOT_ENOUGH_REPLICAS, because older clients repeat the request after that error.
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
                writer.integer(result.appendTime)
                if call.version >= 5 { writer.integer(result.startOffset) }
            }
            writer.noThrottle()
        }
    }
}
