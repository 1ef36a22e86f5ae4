import Kafka

/// Something that the broker refuses again and again.
struct Trouble: Sendable {
    var code: KafkaError.Code
    var message: String
    /// The monotonic time of the first refusal since the last success.
    var since: Int64

    init(_ error: KafkaError, since: Int64) {
        self.code = error.code
        self.message = error.message
        self.since = since
    }
}
