import Cryptography
import Foundation
import UpstreamHTTP

/// Checks whether an upstream can be reached. No request is sent.
struct UpstreamCheck {
    /// A certificate that ends sooner is told.
    private static let leastDays: Int64 = 14

    /// The name of the setting.
    let key: String
    let url: String
    let certificateAuthorityFile: String?
    /// The longest time until the TLS handshake has to be finished.
    let longest: Duration

    /// Looks up the name, connects, and makes the TLS handshake. Blocks the calling thread.
    func finding(now: Int64) -> Finding {
        let subject = "upstream \(self.key)"
        let host = self.url.split(separator: "/").dropFirst().first.map(String.init) ?? self.url
        do throws(TransferError) {
            let probe = try ServerProbe(
                self.url,
                longest: self.longest,
                certificateAuthorityFile: self.certificateAuthorityFile
            )
            return Self.finding(subject, host, end: probe.certificates.first.flatMap(Self.end), now: now)
        } catch {
            return Finding(.fault, subject, saying: Self.words(for: error, host))
        }
    }

    /// Judges a server that can be reached.
    ///
    /// - Parameters:
    ///   - end: The end of its certificate in seconds since 1970; nil without TLS.
    ///   - now: The present time in seconds since 1970.
    static func finding(_ subject: String, _ host: String, end: Int64?, now: Int64) -> Finding {
        guard let end else { return Finding(.good, subject, saying: "\(host) can be reached, without TLS") }
        let days = (end - now) / 86_400
        guard days >= self.leastDays else {
            return Finding(
                .warning,
                subject,
                saying: "the certificate of \(host) ends in \(days) days: its owner has to renew it"
            )
        }
        return Finding(
            .good,
            subject,
            saying: "\(host) can be reached, and its certificate is valid for \(days) days"
        )
    }

    /// Says at which step it failed, and the remedy.
    static func words(for error: TransferError, _ host: String) -> String {
        switch error.kind {
        case .resolve:
            "the name \(host) cannot be resolved: mend the URL, or the name servers of this machine"
        case .connect:
            "\(host) takes no connection (\(error.message)): look at the port in the URL, and at firewalls"
        case .timeout:
            "\(host) does not answer in time: look at firewalls and network policies between here and there"
        case .tls:
            "the TLS handshake with \(host) failed (\(error.message)): look at its certificate, and at http.ca_file"
        default: "\(host): \(error.message)"
        }
    }

    /// The end of a certificate in PEM, in seconds since 1970.
    private static func end(of pem: String) -> Int64? {
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        return Data(base64Encoded: base64).flatMap { Certificate(der: Array($0)) }?.validity.upperBound
    }
}
