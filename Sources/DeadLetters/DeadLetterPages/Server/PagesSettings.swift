package import Operations
package import ServerTLS
import WebPages

/// The address of the pages, and the rules for who may use them.
package struct PagesSettings: Sendable {
    /// The PEM files of a TLS server.
    package typealias TLS = ServerCertificate

    /// The settings would let strangers in. The description is a sentence for the person who wrote the
    /// settings.
    package struct Unsafe: Error, Hashable, CustomStringConvertible {
        /// The sentence that names the setting and what to do.
        package var description: String
    }

    /// The address of this machine at which the pages are served.
    package var host: String
    /// The port; 0 takes any free one.
    package var port: Int
    /// Further names under which browsers may reach the server, without a port; behind a proxy, the proxy's
    /// name.
    ///
    /// A request for any other name is refused, so that no web site can point its own name at this server
    /// (DNS rebinding).
    package var names: [String]
    /// The files for TLS; nil serves plain HTTP.
    package var tls: TLS?
    /// The token that every request must carry, as `Authorization: Bearer TOKEN` or as the password of
    /// `Basic`; at least 16 bytes. It may change with its file. Nil asks for no token.
    package var proxyToken: WatchedSecret?
    /// The header in which a proxy that has the token names the user.
    package var userHeader: String
    /// The header in which the proxy names the groups of the user, separated by commas.
    package var groupsHeader: String
    /// The users that may change and unmask something. If this and `operatorGroups` are empty, every user may.
    package var operators: [String]
    /// The groups whose users may change and unmask something.
    package var operatorGroups: [String]
    /// The name of the user if no token is asked for.
    package var localUser: String
    /// The pause between two refreshes of the index.
    package var refreshInterval: Duration
    /// The period of the retention warning in milliseconds: the pages warn of open letters that the broker
    /// may delete within it.
    package var retentionWarning: Int64
    /// The address that hears of new groups and the like; nil if there is none.
    package var webhook: Webhook?

    /// Creates settings; `check()` says whether they are safe.
    package init(
        host: String = "127.0.0.1",
        port: Int = 8_086,
        names: [String] = [],
        tls: TLS? = nil,
        proxyToken: WatchedSecret? = nil,
        userHeader: String = "X-Forwarded-User",
        groupsHeader: String = "X-Forwarded-Groups",
        operators: [String] = [],
        operatorGroups: [String] = [],
        localUser: String,
        refreshInterval: Duration = .seconds(5),
        retentionWarning: Int64 = 24 * 3_600_000,
        webhook: Webhook? = nil
    ) {
        self.host = host
        self.port = port
        self.names = names
        self.tls = tls
        self.proxyToken = proxyToken
        self.userHeader = userHeader
        self.groupsHeader = groupsHeader
        self.operators = operators
        self.operatorGroups = operatorGroups
        self.localUser = localUser
        self.refreshInterval = refreshInterval
        self.retentionWarning = retentionWarning
        self.webhook = webhook
    }

    /// The length of a token, and of the key of a webhook, at least, in bytes.
    private static let shortestSecret = 16

    private static func isTooShort(_ secret: Secret) -> Bool {
        secret.revealBytes().count < Self.shortestSecret
    }

    /// A secret was replaced by a shorter one than is accepted.
    private struct TooShort: Error, CustomStringConvertible {
        var description: String { "it has fewer than \(PagesSettings.shortestSecret) bytes" }
    }

    /// The files of the token and of the webhook's key, for a watch. A secret that is too short does not replace the one
    /// before it.
    var watchedFiles: [SecretFileWatch.File] {
        let secrets = [
            ("serve.proxy_token", self.proxyToken), ("serve.webhook_secret", self.webhook?.secret),
        ]
        return secrets.compactMap { setting, secret in
            secret?.file(of: ["setting": setting]) { found in
                if Self.isTooShort(found) { throw TooShort() }
            }
        }
    }

    /// Checks that strangers cannot use the pages.
    ///
    /// - Throws: `Unsafe` if the token is too short, if other machines can reach the address without TLS or a
    ///   token, if operators are named and no proxy says who a user is, or if the address is a wildcard and no name
    ///   is given.
    package func check() throws(Unsafe) {
        if let proxyToken, Self.isTooShort(proxyToken.current) {
            throw Unsafe(description: "the proxy's token has fewer than \(Self.shortestSecret) bytes")
        }
        guard self.tls != nil || self.proxyToken != nil || self.servedHost.isLoopback else {
            throw Unsafe(
                description: """
                    \(self.host) can be reached from elsewhere: give a certificate and its key, or a token that a proxy \
                    has to show, or serve on 127.0.0.1
                    """
            )
        }
        guard !self.hasReaders || self.proxyToken != nil else {
            throw Unsafe(
                description: """
                    operators are named, and without serve.proxy_token nobody says who a user is: give the token, or take \
                    serve.operators and serve.operator_groups away
                    """
            )
        }
        guard !self.servedHost.servedNames.isEmpty else {
            throw Unsafe(description: "on \(self.host), say which name the pages are served under")
        }
    }

    /// Whether some users may only look.
    private var hasReaders: Bool { !self.operators.isEmpty || !self.operatorGroups.isEmpty }

    /// Returns whether a user may change and unmask something.
    ///
    /// - Parameter groups: The value of the header `groupsHeader`; nil without it.
    func mayAct(_ user: String, groups: String?) -> Bool {
        guard self.hasReaders, !self.operators.contains(user) else { return true }
        return (groups ?? "").split(separator: ",").contains {
            self.operatorGroups.contains(String($0.trimmed))
        }
    }

    /// The address, with the names that requests may use.
    var servedHost: ServedHost { ServedHost(self.host, names: self.names) }

    /// Returns the URL at which a browser finds the pages.
    package func address(port: Int) -> String {
        self.servedHost.url(port: port, isSecure: self.tls != nil)
    }
}
