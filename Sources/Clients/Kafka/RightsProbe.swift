internal import CRdKafka
internal import EventThread
internal import Records

/// Questions to a cluster about the rights of a client, each by a request that Apache Kafka refuses in any case: for the
/// lack of the right, or else for a flaw that it finds only after the right. So nothing is written, stored or fenced.
///
/// The order of both checks is that of Kafka's `KafkaApis` (`handleProduceRequest`, `handleInitProducerIdRequest`,
/// `handleOffsetCommitRequest`).
package struct RightsProbe {
    /// The cluster's word about a right.
    package enum Answer: Hashable, Sendable {
        case granted
        case refused
        /// The cluster has not answered the question.
        case unknown(KafkaError)
    }

    private let properties: [String: String]
    private let longest: Duration

    /// - Parameters:
    ///   - properties: librdkafka's properties of a producer without transactions.
    ///   - longest: the longest wait for the answers to one question.
    package init(_ properties: [String: String], atMost longest: Duration) {
        self.properties = properties
        self.longest = longest
    }

    /// Asks for WRITE on topics that exist. Each gets one record with `acks=2`, a number that Kafka takes from no client
    /// (`INVALID_REQUIRED_ACKS`).
    ///
    /// Other brokers than Apache Kafka may not look at `acks`, and would keep the record, which has neither key nor
    /// value.
    ///
    /// - Throws: the error of librdkafka if there can be no such client.
    package func writing(to topics: [String]) throws(KafkaError) -> [String: Answer] {
        let own = [
            "enable.idempotence": "false", "acks": "2", "linger.ms": "0", "retries": "0",
            "message.timeout.ms": String(self.milliseconds),
        ]
        let producer = try Producer(self.properties.merging(own) { $1 })
        defer { producer.retire() }
        var answers: [String: Answer] = [:]
        for (index, topic) in topics.enumerated() {
            answers[topic] = .unknown(KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT))
            try producer.send(OutboundRecord(topic: topic, value: nil, partition: 0), id: UInt64(index))
        }
        var unreported = topics.count
        let deadline = ContinuousClock.now + self.longest
        var wait = Wait(on: [producer.descriptor])
        while unreported > 0, ContinuousClock.now < deadline {
            wait(atMost: deadline - .now)
            producer.serve { event in
                guard case .reported(let id, let error) = event, topics.indices.contains(Int(id)) else {
                    return
                }
                unreported -= 1
                answers[topics[Int(id)]] = Self.answer(error, grantedBy: .invalidRequiredAcks)
            }
        }
        return answers
    }

    /// Asks for WRITE on a transactional id, by a producer with a transaction timeout of 24 days. Kafka accepts no
    /// timeout above its `transaction.max.timeout.ms`, 15 minutes by default (`INVALID_TRANSACTION_TIMEOUT`). A cluster
    /// that does would fence another producer of this id.
    ///
    /// - Throws: the error of librdkafka if there can be no such client.
    package func transactions(as id: String) throws(KafkaError) -> Answer {
        let own = ["transactional.id": id, "transaction.timeout.ms": String(Int32.max)]
        let producer = try Producer(self.properties.merging(own) { $1 })
        defer { producer.retire() }
        do throws(KafkaError) {
            try unsafe KafkaError.check(
                consuming: rd_kafka_init_transactions(
                    producer.client.handle,
                    Int32(clamping: self.milliseconds)
                )
            )
            return .granted
        } catch {
            return Self.answer(error, grantedBy: .invalidTransactionTimeout)
        }
    }

    /// The position whose commit asks for READ on a group: no topic has this partition, so there is nothing to commit
    /// (`UNKNOWN_TOPIC_OR_PARTITION`).
    package static func position(in topic: String) -> CommittedPosition {
        CommittedPosition(partition: TopicPartition(topic: topic, partition: .max), offset: 0)
    }

    /// Returns the meaning of the answer to the commit of `position`.
    package static func answer(toCommit error: KafkaError?) -> Answer {
        // The rights on the group are looked at before those on the topic.
        guard error?.code != .topicNotAuthorized else { return .granted }
        return self.answer(error, grantedBy: .unknownTopic)
    }

    private static func answer(_ error: KafkaError?, grantedBy flaw: KafkaError.Code) -> Answer {
        guard let error, error.code != flaw else { return .granted }
        return error.isMissingRight ? .refused : .unknown(error)
    }

    private var milliseconds: Int64 { max(1_000, Int64(self.longest / .milliseconds(1))) }
}
