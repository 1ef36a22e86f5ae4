package import Operations

/// Where a process can be watched, and how it writes its log: the same for everything that runs.
package struct OperationSettings: Sendable {
    package var healthHost: String
    package var healthPort: Int
    package var logFormat: LogFormat
    package var logLevel: String
    package var logSalt: Secret?

    /// Reads the sections `health` and `log`.
    package init(_ reader: SettingsReader) {
        let health = reader.section("health")
        self.healthHost = health.string(
            "host",
            default: "0.0.0.0",
            help: "Address of /livez, /readyz and /metrics."
        )
        self.healthPort = health.int(
            "port",
            default: 9090,
            in: 0...65_535,
            help: "Its port; 0 takes any free one."
        )
        let log = reader.section("log")
        self.logFormat = log.oneOf("format", default: LogFormat.json, help: "How a log line looks.")
        self.logLevel = log.string(
            "level",
            default: "info",
            help: "trace, debug, info, notice, warning, error or critical.",
            must: "be trace, debug, info, notice, warning, error or critical"
        ) { ["trace", "debug", "info", "notice", "warning", "error", "critical"].contains($0) }
        self.logSalt = log.optionalSecret(
            "salt",
            help: "Makes the marks that stand for masked values comparable between processes."
        )
    }
}
