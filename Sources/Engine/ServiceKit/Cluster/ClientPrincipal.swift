import Cryptography

/// Whose name a cluster knows a client by.
enum ClientPrincipal {
    /// Returns the principal that Kafka makes of a client with these properties unless the cluster has rules of its own
    /// for that: the SASL user, the subject of the certificate, or `User:ANONYMOUS`. Nil if the properties do not tell.
    static func principal(of properties: [String: String]) -> String? {
        switch properties["security.protocol"]?.lowercased() ?? "plaintext" {
        case "plaintext": return "User:ANONYMOUS"
        case "sasl_plaintext", "sasl_ssl":
            let mechanism = properties["sasl.mechanisms"] ?? properties["sasl.mechanism"] ?? "GSSAPI"
            let isNamed = mechanism == "PLAIN" || mechanism.hasPrefix("SCRAM-")
            return isNamed ? properties["sasl.username"].map { "User:\($0)" } : nil
        case "ssl":
            guard properties["ssl.keystore.location"] == nil else { return nil }
            let isAnonymous =
                properties["ssl.certificate.location"] == nil && properties["ssl.certificate.pem"] == nil
            guard !isAnonymous else { return "User:ANONYMOUS" }
            let own = ClientCertificates.certificates(of: properties).first { $0.isOwn }
            return own?.certificate.subject.map { "User:\($0)" }
        default: return nil
        }
    }
}
