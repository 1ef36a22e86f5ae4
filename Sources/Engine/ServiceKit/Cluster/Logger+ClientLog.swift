package import Kafka
package import Logging

extension Logger {
    /// Passes a line of librdkafka on. Lines of the syslog level 4 become warnings, more urgent lines errors,
    /// and all others are for debugging.
    package func pass(on log: ClientLog) {
        // librdkafka reports such an error as an event as well, and one report is enough.
        let isToldTwice = log.facility == "FAIL" || log.facility == "ERROR"
        let level: Logger.Level =
            isToldTwice || log.level > 4 ? .debug : log.level == 4 ? .warning : .error
        self.log(level: level, "librdkafka: \(log.text)", metadata: ["facility": "\(log.facility)"])
    }
}
