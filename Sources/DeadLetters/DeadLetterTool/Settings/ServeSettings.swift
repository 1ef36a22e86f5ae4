import DeadLetterPages
import Operations
import ServerTLS

/// The settings of the web pages, as the settings file has them.
struct ServeSettings {
    var host: String
    var port: Int
    var names: [String]
    var certificateFile: String?
    var keyFile: String?
    var proxyToken: WatchedSecret?
    var userHeader: String
    var groupsHeader: String
    var operators: [String]
    var operatorGroups: [String]
    var refresh: Duration
    var retentionWarning: Duration
    var webhookURL: String?
    var webhookSecret: WatchedSecret?
    var webhookGrowth: Int
    /// The port of /livez, /readyz and /metrics; nil if there are none.
    var healthPort: Int?

    /// Reads the section. Faults are reported to the reader.
    init(_ reader: SettingsReader) {
        self.host = reader.string(
            "host",
            default: "127.0.0.1",
            help: "Address of the pages. Beyond loopback only with TLS or a proxy's token."
        )
        self.port = reader.int(
            "port",
            default: 8_086,
            in: 0...65_535,
            help: "Their port; 0 takes any free one."
        )
        self.names = reader.strings(
            "names",
            default: [],
            help: "Names that browsers may know the pages by; requests for others are refused."
        )
        self.certificateFile = reader.optionalString(
            "tls_certificate_file",
            help: "PEM file of the certificate and those that vouch for it; read again when it changes."
        )
        self.keyFile = reader.optionalString(
            "tls_key_file",
            help: "PEM file of its key; read again when it changes."
        )
        self.proxyToken = reader.optionalWatchedSecret(
            "proxy_token",
            help: """
                The token that a proxy has to show with every request, as Authorization: Bearer; at least 16 bytes. A file is \
                read again when it changes.
                """
        )
        self.userHeader = reader.string(
            "user_header",
            default: "X-Forwarded-User",
            help: "The header in which a proxy that has the token says who is at work."
        )
        self.groupsHeader = reader.string(
            "groups_header",
            default: "X-Forwarded-Groups",
            help: "The header in which that proxy says which groups the user is in, separated by commas."
        )
        self.operators = reader.strings(
            "operators",
            default: [],
            help:
                "The users that may change and unmask something. With this or operator_groups, others only look."
        )
        self.operatorGroups = reader.strings(
            "operator_groups",
            default: [],
            help: "The groups whose users may change and unmask something."
        )
        self.refresh = reader.duration(
            "refresh",
            default: .seconds(5),
            in: .milliseconds(200) ... .seconds(3_600),
            help: "How often the pages look for new letters and outcomes."
        )
        self.retentionWarning = reader.duration(
            "retention_warning",
            default: .seconds(86_400),
            in: .zero ... .seconds(365 * 86_400),
            help: "Letters that the broker deletes within that time are warned of."
        )
        self.webhookURL = reader.optionalURL(
            "webhook_url",
            help: "Where new groups, groups that grow, and letters that are deleted soon are posted to."
        )
        self.webhookSecret = reader.optionalWatchedSecret(
            "webhook_secret",
            help: """
                The key that these messages are signed with, as Standard Webhooks says; at least 16 bytes. A file is read again \
                when it changes.
                """
        )
        self.webhookGrowth = reader.int(
            "webhook_growth",
            default: 100,
            in: 1...1_000_000_000,
            help: "A group grows with so many letters in two hours, five times as many as before."
        )
        self.healthPort = reader.optionalInt(
            "health_port",
            in: 0...65_535,
            help:
                "Port of /livez, /readyz and /metrics, on every address; 0 takes any free one. Without it, none."
        )
        if (self.certificateFile == nil) != (self.keyFile == nil) {
            reader.reportFault("tls_key_file", "a certificate and its key belong together")
        }
        if self.webhookURL != nil, (self.webhookSecret?.current.revealBytes().count ?? 0) < 16 {
            reader.reportFault("webhook_secret", "must have at least 16 bytes, where webhook_url is set")
        }
    }

    /// Returns the settings for `PagesServer`.
    ///
    /// - Parameter localUser: the name of the user if no proxy token is set.
    func pages(localUser: String) -> PagesSettings {
        var settings = PagesSettings(localUser: localUser)
        settings.host = self.host
        settings.port = self.port
        settings.names = self.names
        if let certificateFile, let keyFile {
            settings.tls = PagesSettings.TLS(certificateFile: certificateFile, keyFile: keyFile)
        }
        settings.proxyToken = self.proxyToken
        settings.userHeader = self.userHeader
        settings.groupsHeader = self.groupsHeader
        settings.operators = self.operators
        settings.operatorGroups = self.operatorGroups
        settings.refreshInterval = self.refresh
        if let webhookURL, let webhookSecret {
            settings.webhook = Webhook(url: webhookURL, secret: webhookSecret, growth: self.webhookGrowth)
        }
        settings.retentionWarning = Int64(self.retentionWarning / .milliseconds(1))
        return settings
    }
}
