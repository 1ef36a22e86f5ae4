package import Logging

/// Hands on each message with its error, as it is logged.
package struct StreamedLog: LogHandler {
    private let stream: AsyncStream<String>.Continuation
    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.trace

    package init(_ stream: AsyncStream<String>.Continuation) { self.stream = stream }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let error = event.metadata?["error"].map { "\($0)" } ?? ""
        self.stream.yield("\(event.message) \(error)")
    }
}
