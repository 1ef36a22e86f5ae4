internal import CRdKafka

/// What librdkafka or a broker said went wrong. It states facts; what to do about them is the engine's to decide.
package struct KafkaError: Error, Hashable {
    /// An error code of librdkafka: negative for the client's own, positive for the broker's.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        init(_ code: rd_kafka_resp_err_t) { self.rawValue = code.rawValue }

        /// The producer's queue is full: serve it and try again.
        package static let queueFull = Code(RD_KAFKA_RESP_ERR__QUEUE_FULL)
        /// The record is larger than the client or the broker takes.
        package static let messageTooLarge = Code(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        /// A commit had nothing to commit.
        package static let noOffset = Code(RD_KAFKA_RESP_ERR__NO_OFFSET)
        package static let timedOut = Code(RD_KAFKA_RESP_ERR__TIMED_OUT)
        /// The group has moved on: this member's assignment is not the current one.
        package static let illegalGeneration = Code(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION)
        package static let unknownPartition = Code(RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
        package static let unknownMember = Code(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID)
        /// Another producer of the same `transactional.id` has taken over, or the cluster has ended the transaction.
        package static let fenced = Code(RD_KAFKA_RESP_ERR__FENCED)
        package static let invalidConfiguration = Code(RD_KAFKA_RESP_ERR__INVALID_ARG)
        package static let topicAlreadyExists = Code(RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
        /// The group does not take members with this `session.timeout.ms`.
        package static let invalidSessionTimeout = Code(RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT)
        /// The group's members have no assignor in common with this one.
        package static let inconsistentGroupProtocol = Code(RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL)
        package static let groupNotAuthorized = Code(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED)
        package static let topicNotAuthorized = Code(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
        /// Another member of the same `group.instance.id` has taken this one's place.
        package static let fencedInstance = Code(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID)
    }

    package var code: Code
    package var message: String
    /// The client that reported it is of no use any more.
    package var isFatal: Bool
    package var isRetriable: Bool
    /// The transaction cannot be committed any more: abort it, and its records can be sent again in another.
    package var requiresAbort: Bool

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

extension KafkaError: CustomStringConvertible {
    package var description: String { "\(self.message) (librdkafka \(self.code.rawValue))" }
}

extension KafkaError {
    init(_ code: rd_kafka_resp_err_t) {
        self.init(code: Code(code), message: unsafe String(cString: rd_kafka_err2str(code)))
    }

    /// Throws unless `code` reports success. Every call that returns a bare code goes through here.
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
    /// Whether another producer of the same `transactional.id` has taken this one's place.
    package var isFencing: Bool {
        [
            RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_PRODUCER_FENCED,
            RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH,
        ].contains { Code($0) == self.code }
    }
}
