package import Logging

/// Writes one line per event, as JSON or text, with secrets and personal data replaced by keyed hashes.
///
/// The message itself is written as it is, except for control characters. Values that may be sensitive must
/// therefore be passed as metadata.
package struct StructuredLogHandler: LogHandler {
    /// Fields of every line of this logger.
    package var metadata: Logger.Metadata = [:]
    /// Gives further fields of the task that logs.
    package var metadataProvider: Logger.MetadataProvider?
    /// The lowest level that is written: that of the switch, unless a logger was given one of its own.
    package var logLevel: Logger.Level {
        get { self.ownLevel ?? self.level.level }
        set { self.ownLevel = newValue }
    }

    private var ownLevel: Logger.Level?
    private let level: LogLevelSwitch
    private let label: String
    private let format: LogFormat
    private let redaction: Redaction
    private let names: SensitiveNames
    private let sink: LogSink
    private let now: @Sendable () -> Timestamp

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - label: the name of the logger in each line.
    ///   - level: the lowest level that is written, from one line to the next.
    ///   - redaction: makes the marks of sensitive values.
    ///   - names: decides which fields are sensitive.
    ///   - now: gives the time of each line.
    package init(
        label: String,
        level: LogLevelSwitch = LogLevelSwitch(.info),
        format: LogFormat = .json,
        redaction: Redaction,
        names: SensitiveNames = SensitiveNames(),
        metadataProvider: Logger.MetadataProvider? = nil,
        sink: LogSink = .standardError,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.label = label
        self.level = level
        self.format = format
        self.redaction = redaction
        self.names = names
        self.metadataProvider = metadataProvider
        self.sink = sink
        self.now = now
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    /// Writes the event. If a field has several values, the event's value counts before the provider's, and
    /// the provider's before the logger's.
    package func log(event: LogEvent) {
        var fields = self.metadata
        if let provided = self.metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let given = event.metadata { fields.merge(given) { $1 } }
        if let error = event.error { fields["error"] = .string(String(describing: error)) }

        var line = LogLine(format: self.format, redaction: self.redaction, names: self.names)
        line.start(
            time: self.now(),
            level: event.level,
            logger: self.label,
            message: event.message.description
        )
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line.add(key, value)
        }
        self.sink.write(line.finish())
    }
}
