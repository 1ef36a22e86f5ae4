package import Logging
import Synchronization

/// Keeps the log lines of a worker, so that a test can count them. Any thread may use it.
package final class RecordedLog: Sendable {
    private let lines = Mutex<[(level: Logger.Level, message: String, metadata: Logger.Metadata)]>([])

    /// Returns how many lines have this level.
    package func count(_ level: Logger.Level) -> Int {
        self.lines.withLock { $0.count { $0.level == level } }
    }

    /// Returns how many lines have exactly this message.
    package func count(_ message: String) -> Int {
        self.lines.withLock { $0.count { $0.message == message } }
    }

    /// Returns how many messages begin with this text.
    package func count(beginning start: String) -> Int {
        self.lines.withLock { $0.count { $0.message.hasPrefix(start) } }
    }

    /// Returns the values of a field, in the order of the lines that have it.
    package func values(of field: String) -> [String] {
        self.lines.withLock { $0.compactMap { $0.metadata[field].map { "\($0)" } } }
    }

    private let narrator: Narrator?
    private let name: String

    init(of name: String, _ narrator: Narrator?) {
        self.name = name
        self.narrator = narrator
    }

    fileprivate func add(_ event: LogEvent) {
        let message = event.message.description
        self.lines.withLock { $0.append((event.level, message, event.metadata ?? [:])) }
        guard let narrator = self.narrator else { return }
        let metadata = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
        narrator.tell(self.name, "\(message) \(metadata)")
    }

    /// The log handler that a simulated worker gets. It keeps each line in its log.
    package struct Handler: LogHandler {
        let log: RecordedLog
        package var metadata: Logger.Metadata = [:]
        package var logLevel = Logger.Level.info

        package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        package func log(event: LogEvent) { self.log.add(event) }
    }
}
