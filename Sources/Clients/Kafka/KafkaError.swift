internal import CRdKafka

/// An error that librdkafka or a broker reported. The error states facts; the engine decides what to do about
/// it.
package struct KafkaError: Error, Hashable {
    /// An error code of librdkafka: negative for the client's own, positive for the broker's.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        init(_ code: rd_kafka_resp_err_t) { self.rawValue = code.rawValue }

        /// The producer's queue is full. Serve the producer and send the record again.
        package static let queueFull = Code(RD_KAFKA_RESP_ERR__QUEUE_FULL)
        /// The record is larger than the client or the broker accepts.
        package static let messageTooLarge = Code(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        /// A commit contained no position to commit.
        package static let noOffset = Code(RD_KAFKA_RESP_ERR__NO_OFFSET)
        /// The answer did not come in time. The request may have been carried out all the same.
        package static let timedOut = Code(RD_KAFKA_RESP_ERR__TIMED_OUT)
        /// The member presents a generation that is no longer the group's current one.
        package static let illegalGeneration = Code(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION)
        /// The client knows no such partition.
        package static let unknownPartition = Code(RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
        /// The group has no member with this id any more.
        package static let unknownMember = Code(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID)
        /// Another producer with the same `transactional.id` has taken over, or the cluster has ended the
        /// transaction.
        package static let fenced = Code(RD_KAFKA_RESP_ERR__FENCED)
        /// librdkafka refuses a property or an argument.
        package static let invalidConfiguration = Code(RD_KAFKA_RESP_ERR__INVALID_ARG)
        /// A topic of this name existed already when it was to be created.
        package static let topicAlreadyExists = Code(RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
        /// The group accepts no member with this `session.timeout.ms`.
        package static let invalidSessionTimeout = Code(RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT)
        /// The other members of the group support no assignor that this member supports.
        package static let inconsistentGroupProtocol = Code(RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL)
        /// The cluster does not allow this client to use the group.
        package static let groupNotAuthorized = Code(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED)
        /// The cluster does not allow this client to use the topic.
        package static let topicNotAuthorized = Code(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
        /// The cluster does not allow this client to be an idempotent producer: it may write to no topic at all, or, with
        /// Kafka before 2.8, lacks IDEMPOTENT_WRITE on the cluster.
        package static let clusterNotAuthorized = Code(RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED)
        /// The cluster does not allow this client to use the transactional id.
        package static let transactionsNotAuthorized = Code(
            RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        )
        /// The broker does not accept the credentials of this client, or its SASL mechanism.
        package static let authenticationFailed = Code(RD_KAFKA_RESP_ERR__AUTHENTICATION)
        /// The client and the broker do not agree on TLS.
        package static let tlsFailed = Code(RD_KAFKA_RESP_ERR__SSL)
        /// The connection to a broker has failed or was closed.
        package static let connectionFailed = Code(RD_KAFKA_RESP_ERR__TRANSPORT)
        /// The name of a broker cannot be resolved.
        package static let unresolved = Code(RD_KAFKA_RESP_ERR__RESOLVE)
        /// The broker knows no such topic or partition.
        package static let unknownTopic = Code(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        /// The broker accepts no record with this `acks`.
        package static let invalidRequiredAcks = Code(RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS)
        /// The broker accepts no producer with this `transaction.timeout.ms`.
        package static let invalidTransactionTimeout = Code(RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT)
        /// Another member with the same `group.instance.id` has replaced this one.
        package static let fencedInstance = Code(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID)
    }

    /// The code to compare with.
    package var code: Code
    /// The words of librdkafka or of the broker.
    package var message: String
    /// The client that reported the error cannot be used any more.
    package var isFatal: Bool
    /// The request failed for a passing reason, and the caller may repeat it. Only the calls that return an
    /// error object of librdkafka, such as those of transactions, report this and `requiresAbort`.
    package var isRetriable: Bool
    /// The transaction cannot be committed any more. Its owner must abort it, and can then send its records
    /// again in another one.
    package var requiresAbort: Bool

    /// Makes an error from its parts.
    package init(
        code: Code,
        message: String,
        isFatal: Bool = false,
        isRetriable: Bool = false,
        requiresAbort: Bool = false
    ) {
        self.code = code
        self.message = message
        self.isFatal = isFatal
        self.isRetriable = isRetriable
        self.requiresAbort = requiresAbort
    }
}

extension KafkaError {
    /// A record has arrived in the consumer's common queue instead of the queue of its partition.
    static let strayRecord = KafkaError(
        code: Code(RD_KAFKA_RESP_ERR__STATE),
        message: "a record arrived outside the queue of its partition",
        isFatal: true
    )
}

extension KafkaError: CustomStringConvertible {
    package var description: String { "\(self.message) (librdkafka \(self.code.rawValue))" }
}

extension KafkaError {
    /// The error in plain words for a user: of what a client meets before it has spoken to a broker, librdkafka's own words
    /// say little.
    package var plainWords: String {
        switch self.code {
        case .connectionFailed: "no connection to a broker"
        case .unresolved: "the name of a broker cannot be resolved"
        case .timedOut: "it took too long"
        case .authenticationFailed: "the broker does not accept the credentials"
        case .tlsFailed: "the TLS handshake with a broker failed"
        case .topicNotAuthorized: "this client may not use the topic"
        case .unknownTopic, .unknownPartition: "the topic or the partition does not exist"
        case .messageTooLarge: "the record is larger than the broker takes"
        default: self.message
        }
    }
}

extension KafkaError {
    init(_ code: rd_kafka_resp_err_t) {
        self.init(code: Code(code), message: unsafe String(cString: rd_kafka_err2str(code)))
    }

    /// Throws unless `code` reports success. Every call that returns a bare code is checked here.
    static func check(_ code: rd_kafka_resp_err_t) throws(KafkaError) {
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code) }
    }

    /// Throws unless `error` is nil, and destroys it either way.
    static func check(consuming error: OpaquePointer?) throws(KafkaError) {
        guard let error = unsafe error else { return }
        defer { unsafe rd_kafka_error_destroy(error) }
        throw KafkaError(
            code: Code(unsafe rd_kafka_error_code(error)),
            message: unsafe String(cString: rd_kafka_error_string(error)),
            isFatal: unsafe rd_kafka_error_is_fatal(error) != 0,
            isRetriable: unsafe rd_kafka_error_is_retriable(error) != 0,
            requiresAbort: unsafe rd_kafka_error_txn_requires_abort(error) != 0
        )
    }
}

extension KafkaError {
    /// Whether no broker has answered at all, as far as the client knows.
    package var isNoAnswer: Bool { [Code.connectionFailed, .timedOut].contains(self.code) }

    /// Whether the cluster does not allow this client what it asked for.
    package var isMissingRight: Bool {
        [
            Code.topicNotAuthorized, .groupNotAuthorized, .clusterNotAuthorized, .transactionsNotAuthorized,
        ].contains(self.code)
    }

    /// Whether the broker has fenced the producer: another producer with the same `transactional.id` has
    /// taken its place, or the cluster has ended its transaction.
    package var isFencing: Bool {
        [
            RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_PRODUCER_FENCED,
            RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH,
        ].contains { Code($0) == self.code }
    }
}
