import Kafka
import Logging

extension Logger {
    /// Passes a line of librdkafka on, at the level that it has there.
    func pass(on log: ClientLog) {
        let level: Logger.Level = log.level <= 3 ? .error : log.level == 4 ? .warning : .debug
        self.log(level: level, "librdkafka: \(log.text)", metadata: ["facility": "\(log.facility)"])
    }
}
