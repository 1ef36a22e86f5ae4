/// The ways in which the broker lets clients in, and what each may do. By default it takes every client in the clear,
/// and allows it everything.
package struct BrokerSecurity: Sendable {
    /// The SASL mechanisms that the broker offers, with the names of the protocol.
    package enum Mechanism: String, Sendable, CaseIterable {
        /// The password in the clear (RFC 4616).
        case plain = "PLAIN"
        /// A proof of the password (RFC 5802 with SHA-256, RFC 7677).
        case scramSHA256 = "SCRAM-SHA-256"
        /// A proof of the password with SHA-512.
        case scramSHA512 = "SCRAM-SHA-512"
    }

    /// The certificate of the broker as PEM files, and the authorities of its clients.
    package struct TLS: Sendable {
        /// The path of the file with the broker's certificate.
        package var certificateFile: String
        /// The path of the file with the certificate's private key.
        package var keyFile: String
        /// The path of the file with the authorities of clients; with nil, the broker asks for no client certificate.
        /// A client with a certificate is `User:` and the subject of the certificate, as in Kafka.
        package var clientAuthorityFile: String?

        /// Names the files; `EmbeddedBroker.start` reads them.
        package init(certificateFile: String, keyFile: String, clientAuthorityFile: String? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.clientAuthorityFile = clientAuthorityFile
        }
    }

    /// The passwords of the users who may connect, by name. Without any, the broker asks for no SASL.
    package var passwords: [String: String] = [:]
    /// The mechanisms that are offered if there are users.
    package var mechanisms = Set(Mechanism.allCases)
    /// The certificates; with nil, the broker does not speak TLS.
    package var tls: TLS?
    /// The rules of what clients may do. With nil, each may do everything; with rules, everything else is refused.
    package var rules: [AccessRule]?

    /// Creates a security with the defaults above.
    package init() {}
}
