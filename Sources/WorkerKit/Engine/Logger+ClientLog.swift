package import Kafka
package import Logging

extension Logger {
    /// Passes a line of librdkafka on, at the level that it has there.
    package func pass(on log: ClientLog) {
        // An error of the client is told by an event as well, and once is enough.
        let isToldTwice = log.facility == "FAIL" || log.facility == "ERROR"
        let level: Logger.Level =
            isToldTwice || log.level > 4 ? .debug : log.level == 4 ? .warning : .error
        self.log(level: level, "librdkafka: \(log.text)", metadata: ["facility": "\(log.facility)"])
    }
}
