import Harness
import Terminal

/// The settings files of the push-arrival workers of a chaos run.
struct ChaosPushes {
    let folder: TemporaryFolder

    /// Writes the settings of a push-arrival worker.
    ///
    /// - Parameter kafka: further lines of the section `kafka`.
    func write(to name: String, brokers: String, kafka: [String]) throws(Complaint) {
        let text = """
            kafka:
              brokers: \(brokers)
              fetch_wait: 10ms
              partitioner: crc32
            \(kafka.map { "  \($0)\n" }.joined())\
            push:
              new_messages: \(PushInputs.newMessages)
              result_format: protobuf
            statistics:
              interval: 1s
            dashboard:
              enabled: false
            health:
              host: 127.0.0.1
              port: 0

            """
        try self.folder.write(text, to: name)
    }
}
