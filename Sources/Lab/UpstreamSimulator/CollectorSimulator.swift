/// A collector of traces as a small HTTP/1.1 server: `/v1/traces` of OTLP, with JSON bodies.
///
/// The simulator checks each span by its own code, keeps what it has taken, and injects faults on request. A
/// request with one span that breaks a rule is refused as a whole.
package struct CollectorSimulator {
    /// The settings of a simulator at its start.
    package struct Settings: Sendable {
        /// The IP address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 for any free port.
        package var port = 0
        /// The faults at the start.
        package var faults = AppleFaults()
        /// The number of spans to keep. When it is reached, the older half is dropped.
        package var spansKept = 20_000

        /// Creates settings for any free port and without faults.
        package init() {}
    }

    /// A span that was taken.
    package struct Span: Codable, Hashable, Sendable {
        /// The attribute `service.name` of its process.
        package var service: String
        package var traceID: String
        package var spanID: String
        /// The id of the span around this one; nil if there is none.
        package var parentID: String?
        package var name: String
        /// The number of the kind: 1 internal, 3 client, 5 consumer.
        package var kind: Int
        /// Nanoseconds since 1970.
        package var start: Int64
        /// Nanoseconds since 1970.
        package var end: Int64
        /// The attributes, each value as a text.
        package var attributes: [String: String]
        /// The ids of the linked spans, as `trace/span`.
        package var links: [String]
        /// Whether the status is an error.
        package var isError: Bool
    }

    /// The counters of a simulator at one moment.
    package struct Stats: Codable, Hashable, Sendable {
        /// All requests, with or without a fault.
        package var requests: Int
        /// Spans that were taken.
        package var spans: Int
        /// The rules that spans have broken, each with the number of requests that were refused for it.
        package var broken: [String: Int]
        /// Connections since the start.
        package var connections: Int
    }

    /// Starts a simulator, and returns when its port accepts connections. The caller must stop it.
    ///
    /// - Throws: `SimulatorError` if the port cannot be opened.
    package static func start(_ settings: Settings) async throws(SimulatorError) -> RunningCollector {
        let clock = WallClock()
        let site = CollectorSite(settings) { clock.now() }
        return try await Listener.opened(settings.host, settings.port, for: site) { listener, port in
            let running = RunningCollector(host: settings.host, port: port, site: site, listener: listener)
            await running.setFaults(settings.faults)
            return running
        }
    }
}

/// A running collector. Its methods may be called from any thread or task. The owner must call `stop` at the end.
package final class RunningCollector: Sendable {
    /// The IP address that the simulator listens on.
    package let host: String
    /// The port that the simulator listens on.
    package let port: Int
    private let site: CollectorSite
    private let listener: Listener

    init(host: String, port: Int, site: CollectorSite, listener: Listener) {
        self.host = host
        self.port = port
        self.site = site
        self.listener = listener
    }

    /// The endpoint for `tracing.endpoint`.
    package var url: String { "http://\(self.host):\(self.port)" }

    /// The counters since the start.
    package func stats() -> CollectorSimulator.Stats { self.site.stats }

    /// The spans that were taken, in the order of their arrival.
    package func spans() -> [CollectorSimulator.Span] { self.site.spans }

    /// Replaces all faults. The new faults are in effect when this method returns.
    package func setFaults(_ faults: AppleFaults) async {
        self.site.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Closes the port and every connection. A second call has no effect.
    package func stop() async { await self.listener.stop() }
}
