package import Logging
package import Operations
package import ServiceLifecycle
package import WebPages

/// The settings of the dashboard: the address where it is served, and the token that gives access to it.
package struct DashboardSettings: Sendable {
    /// The address of the dashboard and the names by which browsers may call it.
    package var served: ServedHost
    /// The port of the dashboard; 0 takes any free one.
    package var port: Int
    /// The token that every request must carry, as `Authorization: Bearer TOKEN` or as the password of
    /// `Basic`. If it is nil, every request is answered.
    package var token: WatchedSecret?
    /// The number of messages that the dashboard shows.
    package var messages: Int
    /// The number of offsets of each partition that are read at start, counted back from the end.
    package var history: Int

    /// The shortest token that is accepted, in bytes.
    private static let shortestToken = 16

    /// Creates settings without checking them. The defaults serve the dashboard on the loopback address only.
    package init(
        served: ServedHost = ServedHost("127.0.0.1"),
        port: Int = 9_091,
        token: Secret? = nil,
        messages: Int = 2_000,
        history: Int = 1_000_000
    ) {
        self.served = served
        self.port = port
        self.token = token.map { WatchedSecret($0) }
        self.messages = messages
        self.history = history
    }

    /// Reads and checks the settings. Faults are reported to the reader, not thrown.
    ///
    /// - Parameter reader: the reader of the section `dashboard`.
    /// - Returns: nil if the settings disable the dashboard.
    package init?(_ reader: SettingsReader) {
        let isEnabled = reader.bool("enabled", default: true, help: "Whether the worker serves a dashboard.")
        self.served = ServedHost(
            reader.string(
                "host",
                default: "127.0.0.1",
                help: "Address of the dashboard. Beyond loopback only with a token."
            ),
            names: reader.strings(
                "names",
                default: [],
                help: "Names that browsers may know the dashboard by; requests for others are refused."
            )
        )
        self.port = reader.int(
            "port",
            default: 9_091,
            in: 0...65_535,
            help: "Its port; 0 takes any free one."
        )
        self.token = reader.optionalWatchedSecret(
            "token",
            help: """
                The token that a browser has to show, as the password of any name, or a proxy as Authorization: Bearer; at least \
                \(Self.shortestToken) bytes. A file is read again when it changes. There is no TLS here: beyond this \
                machine, put a proxy before it.
                """
        )
        self.messages = reader.int(
            "messages",
            default: 2_000,
            in: 1...100_000,
            help: "How many messages it shows: those that were updated last."
        )
        self.history = reader.int(
            "history",
            default: 1_000_000,
            in: 1...1_000_000_000,
            help: "How many records of each partition of the statistics it reads at start: the last ones."
        )
        guard isEnabled else { return nil }
        self.check(reader)
    }

    /// Reports a token that is too short, a missing token on an address beyond loopback, and an address
    /// without a name.
    private func check(_ reader: SettingsReader) {
        if let token, Self.isTooShort(token.current) {
            reader.reportFault(ofSecret: "token", "has fewer than \(Self.shortestToken) bytes")
        }
        if !self.served.isLoopback, self.token == nil {
            reader.reportFault("host", "can be reached from elsewhere: set a token, or serve on 127.0.0.1")
        }
        if self.served.servedNames.isEmpty {
            reader.reportFault(
                "names",
                "is required on \(self.served.address): browsers have to call it something"
            )
        }
    }

    private static func isTooShort(_ token: Secret) -> Bool { token.revealBytes().count < Self.shortestToken }

    /// A token that was replaced by a shorter one than is accepted.
    private struct TooShort: Error, CustomStringConvertible {
        var description: String { "it has fewer than \(DashboardSettings.shortestToken) bytes" }
    }

    /// Returns the reader of the statistics, the server of the pages, and the watch of the token's file. A failure of any
    /// neither stops nor delays the worker.
    ///
    /// - Parameters:
    ///   - topic: the topic of the statistics.
    ///   - kafkaProperties: librdkafka's properties for the connection to the brokers.
    ///   - registry: the registry of the worker's metrics.
    ///   - logger: the logger of both services.
    package func services(
        topic: String,
        kafkaProperties: [String: String],
        registry: PrometheusRegistry,
        logger: Logger
    ) -> [any Service] {
        let (board, standing) = (StatisticsBoard(limit: self.messages), ReadingStanding())
        let now: @Sendable () -> Int64 = { Timestamp.now.millisecondsSince1970 }
        let tokenFile = self.token?.file(of: ["setting": "dashboard.token"]) { token in
            if Self.isTooShort(token) { throw TooShort() }
        }
        return SecretFileWatch.services([tokenFile].compactMap(\.self), logger) + [
            StatisticsReader(
                topic: topic,
                properties: kafkaProperties,
                history: self.history,
                board: board,
                standing: standing,
                registry: registry,
                logger: logger,
                now: now
            ),
            DashboardServer(
                self,
                topic: topic,
                board: board,
                standing: standing,
                logger: logger,
                now: now
            ),
        ]
    }
}
