/// The limits and choices of an HTTP client. Certificates and host names are always verified; no setting
/// turns that off.
package struct HTTPClientSettings: Hashable, Sendable {
    /// The newest version of HTTP that the client offers.
    package enum Version: String, Hashable, Sendable {
        case http1
        /// HTTP/2 if the server agrees to it in the TLS handshake, otherwise HTTP/1.1.
        case http2
    }

    /// The longest time from the start of a request until its connection is established, for https including
    /// the TLS handshake.
    package var connectTimeout: Duration
    /// The longest time from the start of a request until the last byte of its answer.
    package var requestTimeout: Duration
    /// The largest number of requests in flight. The client refuses a request beyond it.
    package var connectionLimit: Int
    /// The largest number of connections of one libcurl handle. libcurl searches its connections one by one,
    /// so the cost of a request grows with their number. A client with many connections therefore uses
    /// several handles with this many connections each.
    package var connectionsPerShard: Int
    /// The longest body of an answer, in bytes. The header section of an answer may have 64 KiB.
    package var responseBytesLimit: Int
    /// The names of the header fields that a response keeps. Each field that is present costs one or two
    /// allocations.
    package var keptHeaders: [String]
    /// The newest version that the client offers. A server may choose an older one.
    package var httpVersion: Version
    /// The path of a PEM file with certificate authorities. They replace the certificates that the system
    /// trusts; they are not added to them.
    package var certificateAuthorityFile: String?
    /// The value of the `User-Agent` field of every request, without control characters.
    package var userAgent: String
    /// The longest time that a connection may be idle and still be used again. After it the connection is
    /// closed.
    package var idleConnectionLifetime: Duration

    /// The path of a Unix socket on which all requests are made, whatever host their URL names; nil for TCP.
    package var unixSocket: String?

    /// Makes settings. `HTTPClient` checks them when it is made.
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
        idleConnectionLifetime: Duration = .seconds(60),
        unixSocket: String? = nil
    ) {
        self.unixSocket = unixSocket
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

    /// The reason why no client can work with these settings, or nil.
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
