import Kafka

/// A look at a cluster by a command, in place of a worker that would start.
package struct ClusterLook {
    /// A client that takes in no record and writes none. Its own log is turned off: if no broker answers, a
    /// sentence says so.
    package let broker: KafkaBroker
    package let notes = ClusterNotes(logger: nil)
    /// The sentences for everything that keeps the worker from starting.
    package var faults: [String] = []

    /// Connects to a cluster and looks at it.
    ///
    /// - Parameter look: Adds to `faults`. A `KafkaError` or a `PreflightFailure` that it throws becomes a fault
    ///   too: the cluster did not answer, or a check has failed.
    /// - Returns: The faults.
    /// - Throws: `KafkaError` if no client can be made, and whatever else `look` throws.
    package static func faults(
        of kafka: KafkaSettings,
        _ look: (inout ClusterLook) throws -> Void
    ) throws -> [String] {
        let quiet = ["log_level": "0"]
        return try KafkaBroker.connected(
            consumer: kafka.consumerProperties().merging(quiet) { $1 },
            producer: kafka.producerProperties().merging(quiet) { $1 }
        ) { broker in
            var found = ClusterLook(broker: broker)
            do {
                try look(&found)
            } catch let error as KafkaError {
                try found.notes.take(from: broker)
                found.faults.append(found.notes.noAnswer(from: kafka.brokers, error))
            } catch let failure as PreflightFailure {
                found.faults += failure.faults
            }
            return found.faults
        }
    }
}
