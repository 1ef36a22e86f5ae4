/// How a client treats its upstreams. Certificates and host names are always verified: no setting turns
/// that off.
package struct HTTPClientSettings: Hashable, Sendable {
    package enum Version: String, Hashable, Sendable {
        case http1
        /// HTTP/2 where the server agrees to it in the TLS handshake, HTTP/1.1 elsewhere.
        case http2
    }

    /// From the start of a request until its connection, and on https its TLS session, stands.
    package var connectTimeout: Duration
    /// From the start of a request to the last byte of its answer.
    package var requestTimeout: Duration
    /// How many requests may be in flight. One more is refused.
    package var connectionLimit: Int
    /// libcurl searches its connections one by one, so the cost of a request grows with their number. A
    /// client of many connections is therefore made of several handles of this many each.
    package var connectionsPerShard: Int
    /// The longest body of an answer. Its header section may be 64 KiB.
    package var responseBytesLimit: Int
    /// The names of the header fields that a response keeps. Each one present costs an allocation or two.
    package var keptHeaders: [String]
    package var httpVersion: Version
    /// PEM. In place of the certificates that the system trusts, not in addition to them.
    package var certificateAuthorityFile: String?
    package var userAgent: String
    /// A connection that has been idle for longer is closed rather than used again.
    package var idleConnectionLifetime: Duration

    package init(
        connectTimeout: Duration = .seconds(5),
        requestTimeout: Duration = .seconds(30),
        connectionLimit: Int = 1_000,
        connectionsPerShard: Int = 128,
        responseBytesLimit: Int = 8 << 20,
        keptHeaders: [String] = ["retry-after", "date"],
        httpVersion: Version = .http1,
        certificateAuthorityFile: String? = nil,
        userAgent: String = "flotilla",
        idleConnectionLifetime: Duration = .seconds(60)
    ) {
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.connectionLimit = connectionLimit
        self.connectionsPerShard = connectionsPerShard
        self.responseBytesLimit = responseBytesLimit
        self.keptHeaders = keptHeaders
        self.httpVersion = httpVersion
        self.certificateAuthorityFile = certificateAuthorityFile
        self.userAgent = userAgent
        self.idleConnectionLifetime = idleConnectionLifetime
    }

    /// What no client can work with, or nil.
    var flaw: String? {
        let longest = Duration.seconds(86_400)
        if !(1...1_000_000).contains(self.connectionLimit) {
            return "connectionLimit is not between 1 and 1,000,000"
        }
        if !(1...65_536).contains(self.connectionsPerShard) {
            return "connectionsPerShard is not between 1 and 65,536"
        }
        if self.responseBytesLimit < 1 {
            return "responseBytesLimit is below 1"
        }
        for wait in [self.connectTimeout, self.requestTimeout]
        where wait < .milliseconds(1) || wait > longest {
            return "a timeout is not between 1 ms and 1 day"
        }
        if self.idleConnectionLifetime < .seconds(1) || self.idleConnectionLifetime > longest {
            return "idleConnectionLifetime is not between 1 s and 1 day"
        }
        if !self.userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            return "userAgent holds a control character"
        }
        if !self.keptHeaders.allSatisfy({ HTTPHeader($0, "").hasTokenName }) {
            return "keptHeaders names what cannot be a header field"
        }
        return nil
    }
}
