package import Operations

/// How a process can be watched, and how it writes its log. Every program has these settings.
package struct OperationSettings: Sendable {
    /// The address of /livez, /readyz and /metrics.
    package var healthHost: String
    /// The port of these pages; 0 takes any free one.
    package var healthPort: Int
    /// The form of a log line.
    package var logFormat: LogFormat
    /// The least level that is logged, by its name: `trace` to `critical`.
    package var logLevel: String
    /// The salt of the marks that stand for masked values. With it, marks can be compared between processes;
    /// nil for a salt that only this process knows.
    package var logSalt: Secret?
    /// The Unix socket that takes an operator's orders; nil for none.
    package var adminSocket: String?
    /// The file that keeps an operator's choices beyond the process; nil if they end with it.
    package var choicesFile: String?

    /// Reads the sections `health`, `log` and `admin`.
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
        let admin = reader.section("admin")
        self.adminSocket = admin.optionalPath(
            "socket",
            help:
                "Unix socket that takes an operator's orders (fleet admin). Only this user and root can use it."
        )
        self.choicesFile = admin.optionalPath(
            "choices_file",
            help:
                "Keeps what an operator has chosen beyond a restart. Without it a restart takes all choices back."
        )
    }
}
