package import Logging
package import Operations
package import ServiceLifecycle
package import WebPages

/// Where the dashboard is served, and to whom.
package struct DashboardSettings: Sendable {
    package var served: ServedHost
    /// 0 takes any free one.
    package var port: Int
    /// What every request has to carry, as `Authorization: Bearer TOKEN`, or as the password of `Basic`. Nil for none.
    package var token: Secret?
    /// How many messages are shown.
    package var messages: Int
    /// How many records of each partition are read at start, the last ones.
    package var history: Int

    private static let shortestToken = 16

    package init(
        served: ServedHost = ServedHost("127.0.0.1"),
        port: Int = 9_091,
        token: Secret? = nil,
        messages: Int = 2_000,
        history: Int = 1_000_000
    ) {
        self.served = served
        self.port = port
        self.token = token
        self.messages = messages
        self.history = history
    }

    /// - Parameter reader: of the section `dashboard`. It is told what is wrong with the settings.
    /// - Returns: nil if there is to be no dashboard.
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
        self.token = reader.optionalSecret(
            "token",
            help: """
                What a browser has to show, as the password of any name, or a proxy as Authorization: Bearer; at least \
                \(Self.shortestToken) bytes. There is no TLS here: beyond this machine, put a proxy before it.
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

    private func check(_ reader: SettingsReader) {
        if let token, token.revealBytes().count < Self.shortestToken {
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

    /// The reader of the statistics and the server of the pages, which neither stop the worker nor hold it up.
    ///
    /// - Parameters:
    ///   - topic: of the statistics.
    ///   - kafkaProperties: librdkafka's, for the brokers and how to speak to them.
    package func services(
        topic: String,
        kafkaProperties: [String: String],
        logger: Logger
    ) -> [any Service] {
        let (board, standing) = (StatisticsBoard(limit: self.messages), ReadingStanding())
        let now: @Sendable () -> Int64 = { Timestamp.now.millisecondsSince1970 }
        return [
            StatisticsReader(
                topic: topic,
                properties: kafkaProperties,
                history: self.history,
                board: board,
                standing: standing,
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
