import Kafka

/// An error that the broker reports again and again.
struct Trouble: Sendable {
    var code: KafkaError.Code
    var message: String
    /// The monotonic time of the first error since the last success, in nanoseconds.
    var since: Int64

    init(_ error: KafkaError, since: Int64) {
        self.code = error.code
        self.message = error.message
        self.since = since
    }
}
