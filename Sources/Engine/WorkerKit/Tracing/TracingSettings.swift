package import Operations

/// Where spans go, and how many records are traced.
package struct TracingSettings: Hashable, Sendable {
    /// The address of a collector that speaks OTLP over HTTP, without `/v1/traces`; nil if nothing is traced.
    package var endpoint: String?
    /// The share of the records that are traced, from 0 to 1.
    package var sampleRatio: Double

    /// Reads the section `tracing`.
    package init(_ reader: SettingsReader) {
        self.endpoint = reader.optionalURL(
            "endpoint",
            help:
                "A collector that takes spans as OTLP over HTTP, without /v1/traces. Without it nothing is traced."
        )
        self.sampleRatio = reader.ratio(
            "sample_ratio",
            default: 0.01,
            help: "The share of records that are traced, from 0 to 1: of those that come with a traceparent, "
                + "only records whose publisher traces them."
        )
    }

    /// The URL that spans are sent to; nil if nothing is traced.
    var url: String? {
        guard let endpoint, self.sampleRatio > 0 else { return nil }
        return (endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint) + "/v1/traces"
    }
}
