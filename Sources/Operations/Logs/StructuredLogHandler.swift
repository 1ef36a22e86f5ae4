package import Logging

/// Writes one line per event, as JSON or text, with secrets and personal data replaced by keyed hashes.
///
/// The message is written as it is, save for control characters: whatever may be sensitive belongs in metadata.
package struct StructuredLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel: Logger.Level

    private let label: String
    private let format: LogFormat
    private let redaction: Redaction
    private let names: SensitiveNames
    private let sink: LogSink
    private let now: @Sendable () -> Timestamp

    package init(
        label: String,
        level: Logger.Level = .info,
        format: LogFormat = .json,
        redaction: Redaction,
        names: SensitiveNames = SensitiveNames(),
        metadataProvider: Logger.MetadataProvider? = nil,
        sink: LogSink = .standardError,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.label = label
        self.logLevel = level
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
