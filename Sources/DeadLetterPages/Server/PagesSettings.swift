package import Operations
import WebPages

/// Where the pages are served, and to whom.
package struct PagesSettings: Sendable {
    /// Files in PEM: the certificate with those that vouch for it, and its key.
    package struct TLS: Hashable, Sendable {
        package var certificateFile: String
        package var keyFile: String

        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Why the pages are not served like that, in a sentence for whoever set it.
    package struct Unsafe: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    /// An address of this machine.
    package var host: String
    /// 0 for any that is free.
    package var port: Int
    /// More names that browsers may know the server by, without a port: behind a proxy, the proxy's. A request for
    /// any other name is refused, so that no site can point a name of its own at this server.
    package var names: [String]
    package var tls: TLS?
    /// What every request has to carry, as `Authorization: Bearer TOKEN`, or as the password of `Basic`. Nil for none.
    package var proxyToken: Secret?
    /// The header in which a proxy that has the token says who is at work.
    package var userHeader: String
    /// Who is at work where there is no token.
    package var localUser: String
    /// How often the index is brought up to date.
    package var refreshInterval: Duration
    /// Milliseconds: letters that the broker deletes within that time are warned of.
    package var retentionWarning: Int64

    package init(
        host: String = "127.0.0.1",
        port: Int = 8_086,
        names: [String] = [],
        tls: TLS? = nil,
        proxyToken: Secret? = nil,
        userHeader: String = "X-Forwarded-User",
        localUser: String,
        refreshInterval: Duration = .seconds(5),
        retentionWarning: Int64 = 24 * 3_600_000
    ) {
        self.host = host
        self.port = port
        self.names = names
        self.tls = tls
        self.proxyToken = proxyToken
        self.userHeader = userHeader
        self.localUser = localUser
        self.refreshInterval = refreshInterval
        self.retentionWarning = retentionWarning
    }

    private static let shortestToken = 16

    /// - Throws: `Unsafe` if everybody who reaches the address could read along, or do as they like.
    package func check() throws(Unsafe) {
        if let proxyToken, proxyToken.revealBytes().count < Self.shortestToken {
            throw Unsafe(description: "the proxy's token has fewer than \(Self.shortestToken) bytes")
        }
        guard self.tls != nil || self.proxyToken != nil || self.servedHost.isLoopback else {
            throw Unsafe(
                description: """
                    \(self.host) can be reached from elsewhere: give a certificate and its key, or a token that a proxy \
                    has to show, or serve on 127.0.0.1
                    """
            )
        }
        guard !self.servedHost.servedNames.isEmpty else {
            throw Unsafe(description: "on \(self.host), say which name the pages are served under")
        }
    }

    /// Where they are, and by which names.
    var servedHost: ServedHost { ServedHost(self.host, names: self.names) }

    /// Where a browser finds the pages.
    package func address(port: Int) -> String {
        self.servedHost.url(port: port, isSecure: self.tls != nil)
    }
}
