package import Kafka

// The errors that the simulated cluster answers with.
extension KafkaError {
    /// The broker rejects a commit of an earlier generation.
    package static let illegalGeneration = KafkaError(
        code: .illegalGeneration,
        message: "not the current generation"
    )
    /// A request got no answer in time.
    package static let timedOut = KafkaError(code: .timedOut, message: "timed out", isRetriable: true)
    /// The producer's queue is full.
    package static let queueFull = KafkaError(code: .queueFull, message: "queue full", isRetriable: true)
    /// The record is larger than the broker accepts.
    package static let messageTooLarge = KafkaError(code: .messageTooLarge, message: "message too large")
    static let unknownPartition = KafkaError(code: .unknownPartition, message: "unknown partition")
    static let fenced = KafkaError(code: .fenced, message: "fenced", isFatal: true)
}
