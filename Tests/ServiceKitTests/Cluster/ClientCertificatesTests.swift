import Foundation
import Logging
import Operations
import Testing
import WorkerTestSupport

@testable import ServiceKit

/// Certificates are told of before they end.
@Suite(.timeLimit(.minutes(10)))
struct ClientCertificatesTests {
    private static let now = Int64(Date().timeIntervalSince1970)
    private static let day: Int64 = 86_400

    @Test func anEndIsToldFromThirtyDaysBeforeItOn() throws {
        let authority = try TestAuthority()
        let client = try authority.certificate("client", subject: "/CN=worker", days: 100)
        let certificates = ClientCertificates(["ssl.certificate.location": client.file])
        #expect(certificates.warnings(at: Self.now) == [])
        #expect(certificates.warnings(at: Self.now + 69 * Self.day) == [])
        let soon = certificates.warnings(at: Self.now + 70 * Self.day + Self.day / 2)
        let start = "kafka.properties ssl.certificate.location: the certificate "
        #expect(soon.count == 1 && soon[0].hasPrefix(start + "ends in 29 days, on 20"), "\(soon)")
        let late = certificates.warnings(at: Self.now + 101 * Self.day)
        #expect(late.count == 1 && late[0].hasPrefix(start + "has ended on 20"), "\(late)")
    }

    /// An old authority stays beside its successor for the time of a change.
    @Test func ofAuthoritiesTheLastCountsAndOfAChainTheFirst() throws {
        let authority = try TestAuthority()
        let short = try authority.certificate("short", subject: "/CN=short", days: 5)
        let long = try authority.certificate("long", subject: "/CN=long", days: 90)
        let both = try [short.file, long.file].map { try String(contentsOfFile: $0, encoding: .utf8) }
            .joined()
        #expect(ClientCertificates(["ssl.ca.pem": both]).warnings(at: Self.now) == [])
        #expect(ClientCertificates(["ssl.certificate.pem": both]).warnings(at: Self.now).count == 1)
    }

    @Test func theMetricShowsTheEnd() throws {
        let authority = try TestAuthority()
        let registry = PrometheusRegistry()
        ClientCertificates(["ssl.ca.location": authority.file]).tell(Logger(label: "test"), in: registry)
        let line = registry.exposition().split(separator: "\n").first {
            $0.hasPrefix(#"worker_certificate_expires_timestamp_seconds{property="ssl.ca.location"} "#)
        }
        let end = try #require(line?.split(separator: " ").last.flatMap { Double($0) })
        #expect(abs(end - Double(Self.now + 2 * Self.day)) < 3_600)
    }

    @Test(arguments: ["/nowhere", "/proc", ""])
    func aFileThatCannotBeReadIsLeftToLibrdkafka(path: String) {
        let properties = [
            "ssl.certificate.location": path, "ssl.ca.location": path, "ssl.ca.pem": "no certificate",
        ]
        #expect(ClientCertificates(properties).warnings(at: Self.now) == [])
    }

    @Test func thePrincipalIsWhatKafkaMakesOfTheProperties() throws {
        let authority = try TestAuthority()
        let client = try authority.certificate("client", subject: "/O=Example/CN=worker")
        let user = ["sasl.mechanisms": "SCRAM-SHA-512", "sasl.username": "alice"]
        func principal(_ more: [String: String]) -> String? {
            ClientPrincipal.principal(of: user.merging(more) { $1 })
        }
        #expect(principal([:]) == "User:ANONYMOUS")
        #expect(principal(["security.protocol": "SASL_SSL"]) == "User:alice")
        #expect(principal(["security.protocol": "sasl_ssl", "sasl.mechanisms": "OAUTHBEARER"]) == nil)
        #expect(principal(["security.protocol": "ssl"]) == "User:ANONYMOUS")
        let tls = ["security.protocol": "ssl", "ssl.certificate.location": client.file]
        #expect(principal(tls) == "User:CN=worker,O=Example")
    }
}
