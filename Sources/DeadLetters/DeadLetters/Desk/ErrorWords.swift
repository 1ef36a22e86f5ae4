import Kafka

/// The words for an error that a person reads. A broker that is gone is told in plain words, not in a library's.
package enum ErrorWords {
    package static func text(_ error: any Error) -> String {
        (error as? KafkaError)?.plainWords ?? "\(error)"
    }
}
