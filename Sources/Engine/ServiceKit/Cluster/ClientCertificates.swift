import Cryptography
import Foundation
package import Logging
import Metrics
package import Operations

/// The certificates among librdkafka's properties, and when they end.
package struct ClientCertificates: Sendable {
    /// A certificate of a property.
    struct Entry: Sendable {
        /// The property that holds it or names its file.
        var property: String
        /// Whether it is the client's own, and not one of an authority.
        var isOwn: Bool
        var certificate: Certificate
    }

    /// A certificate is told of from this long before its end on.
    package static let notice = Duration.seconds(30 * 86_400)
    private static let fileByteLimit = 8 << 20
    /// Each property, whether it is the client's own certificate, and whether its value is a path.
    private static let properties: [(name: String, isOwn: Bool, isPath: Bool)] = [
        ("ssl.certificate.location", true, true), ("ssl.certificate.pem", true, false),
        ("ssl.ca.location", false, true), ("ssl.ca.pem", false, false),
    ]

    private let entries: [Entry]

    /// Reads the certificates. A file that cannot be read or parsed is left out, because librdkafka complains about it
    /// itself; so are folders and PKCS#12 files.
    package init(_ properties: [String: String]) { self.entries = Self.certificates(of: properties) }

    static func certificates(of properties: [String: String]) -> [Entry] {
        self.properties.flatMap { name, isOwn, isPath in
            guard let value = properties[name], let bytes = isPath ? self.file(value) : Array(value.utf8)
            else { return [Entry]() }
            return (Certificate.all(in: bytes) ?? []).map {
                Entry(property: name, isOwn: isOwn, certificate: $0)
            }
        }
    }

    private static func file(_ path: String) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: self.fileByteLimit)
        else { return nil }
        return Array(data)
    }

    /// Returns a sentence for each property whose certificates have ended or end soon. In a file of many authorities only
    /// the newest counts: old ones stay in such a file for the time of a change.
    ///
    /// - Parameter now: The time in seconds since 1970.
    package func warnings(at now: Int64) -> [String] {
        self.ends.compactMap { property, end in
            let left = end - now
            guard left < Self.notice.wholeMilliseconds / 1_000 else { return nil }
            let when = Self.day(end)
            return left <= 0
                ? "kafka.properties \(property): the certificate has ended on \(when). Replace it."
                : "kafka.properties \(property): the certificate ends in \(left / 86_400) days, on \(when). Replace it."
        }
    }

    /// Logs the warnings of now, and shows the ends as a metric.
    package func tell(_ logger: Logger, in registry: PrometheusRegistry) {
        for warning in self.warnings(at: Int64(Date().timeIntervalSince1970)) { logger.warning("\(warning)") }
        self.show(in: registry)
    }

    private func show(in registry: PrometheusRegistry) {
        for (property, end) in self.ends {
            let labels = [("property", property)]
            Gauge(
                label: "worker_certificate_expires_timestamp_seconds",
                dimensions: labels,
                factory: registry
            )
            .record(end)
        }
    }

    /// The first end of the client's chain, and the last of the authorities.
    private var ends: [(property: String, end: Int64)] {
        Self.properties.compactMap { name, isOwn, _ in
            let ends = self.entries.filter { $0.property == name }.map(\.certificate.validity.upperBound)
            return (isOwn ? ends.min() : ends.max()).map { (name, $0) }
        }
    }

    private static func day(_ seconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        return date.formatted(.iso8601.year().month().day())
    }
}
