package import Kafka

/// The cause why no connection to a cluster comes about, with the setting to look at.
package struct ConnectionTrouble: Hashable, Sendable {
    /// The cause in one sentence that begins with a setting.
    package let sentence: String

    /// Returns the cause of an error; nil if the error is not about connecting, or says no more than that nobody answers.
    ///
    /// Only librdkafka's words tell some causes apart (`rdkafka_broker.c`, `rdkafka_ssl.c`, `rdkafka_sasl.c`). A cause
    /// that the words do not tell is shown in these words.
    package init?(_ error: KafkaError) {
        let words = error.message
        func has(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
        switch error.code {
        case .authenticationFailed where has("Unsupported SASL mechanism"):
            let offer = words.firstRange(of: "supported mechanisms: ").map { words[$0.upperBound...] }
            self.sentence =
                "kafka.properties sasl.mechanisms: the broker does not offer this mechanism"
                + (offer.map { ", but: \($0)" } ?? "") + "."
        case .authenticationFailed where has("SASL state", "handshake"):
            self.sentence =
                "kafka.properties security.protocol: the broker takes no SASL here; it is another listener, or the "
                + "protocol is 'ssl' or 'plaintext'."
        case .authenticationFailed:
            self.sentence =
                "kafka.properties sasl.username, sasl.password: the broker does not accept the credentials."
        case .tlsFailed where has("certificate verify failed"):
            self.sentence =
                "kafka.properties ssl.ca.location: the broker's certificate is not one of these authorities, has ended, "
                + "or names another host than kafka.brokers."
        case .tlsFailed where has("alert"), .connectionFailed where has("alert"):
            self.sentence =
                "kafka.properties ssl.certificate.location, ssl.key.location: the broker asks for a client certificate "
                + "and does not accept this one, or there is none."
        case .tlsFailed where has("SSL handshake failed"),
            .connectionFailed where has("SSL handshake failed", "PLAINTEXT broker listener"):
            self.sentence =
                "kafka.properties security.protocol: it has TLS, and the broker does not speak it here; it is another "
                + "listener, or the protocol is without 'ssl'."
        case .connectionFailed where has("incorrect security.protocol"):
            self.sentence =
                "kafka.properties security.protocol: the broker closes the connection at the first word; it expects TLS "
                + "here ('ssl' or 'sasl_ssl')."
        case .connectionFailed where has("SASL authentication", "verify that security.protocol"):
            self.sentence =
                "kafka.properties security.protocol: the broker closes the connection of a client that has not "
                + "authenticated itself; it expects SASL here ('sasl_ssl' or 'sasl_plaintext')."
        case .unresolved:
            // Failed to resolve 'host:port': the words of the resolver.
            let parts = words.split(separator: "'")
            let name =
                words.contains("resolve '") && parts.count > 2 ? String(parts[1]) : "the name of a broker"
            self.sentence =
                "kafka.brokers: \(name) cannot be resolved; look at the name, and at the DNS of this machine."
        default: return nil
        }
    }
}
