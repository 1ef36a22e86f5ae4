import CVersion
package import UpstreamHTTP

/// The names of a worker, and the defaults in which it differs from others.
package struct WorkerIdentity: Hashable, Sendable {
    /// The version of all programs of this package: that of the release, or `0.1.0-421-g1a2b3c4d5` for the commit
    /// with this id, 421 commits after the start or after the last release.
    package static let version = unsafe String(cString: flotilla_version())

    /// The name of the executable, of the consumer group, and of the worker in outcomes, such as
    /// `activation-worker`.
    package var name: String
    /// The topic that is consumed where no setting says otherwise.
    package var topic: String
    /// A word for the upstream in dead letters and metrics, such as `gdt`.
    package var upstream: String
    /// The longest answer that is read, in bytes, where no setting says otherwise.
    package var answerBytesLimit: Int
    /// The version of HTTP in which the upstream is called.
    package var httpVersion: HTTPClientSettings.Version
    /// The header fields of an answer that the handler looks at, besides those that all workers keep.
    package var keptHeaders: [String]
    /// How soon the results are of no use any more, for the defaults of some settings.
    package var haste: Haste
    /// How long `Retry-After` can stop an endpoint where no setting says otherwise; nil for the usual
    /// default.
    package var longestGate: Duration?

    package init(
        name: String,
        topic: String,
        upstream: String,
        answerBytesLimit: Int = 8 << 20,
        httpVersion: HTTPClientSettings.Version = .http1,
        keptHeaders: [String] = [],
        haste: Haste = .ordinary,
        longestGate: Duration? = nil
    ) {
        self.name = name
        self.topic = topic
        self.upstream = upstream
        self.answerBytesLimit = answerBytesLimit
        self.httpVersion = httpVersion
        self.keptHeaders = keptHeaders
        self.haste = haste
        self.longestGate = longestGate
    }
}
