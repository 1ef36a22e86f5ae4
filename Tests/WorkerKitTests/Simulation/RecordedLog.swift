import Logging
import Synchronization

/// What a worker has logged, kept for whoever wants to count it.
final class RecordedLog: Sendable {
    private let lines = Mutex<[(level: Logger.Level, message: String)]>([])

    func count(_ level: Logger.Level) -> Int { self.lines.withLock { $0.count { $0.level == level } } }

    func count(_ message: String) -> Int { self.lines.withLock { $0.count { $0.message == message } } }

    fileprivate func add(_ level: Logger.Level, _ message: String) {
        self.lines.withLock { $0.append((level, message)) }
    }

    struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.log.add(event.level, event.message.description) }
    }
}
