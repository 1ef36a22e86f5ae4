package import WireFormats

/// Which message: ids are unique within a provider and an app only.
package struct CohortKey: Hashable, Sendable {
    package var provider: String
    package var appBundle: String
    package var messageID: String
    /// The UTC day as YYYY-MM-DD of the events that name no message; empty for all others.
    package var day: String

    package init(provider: String, appBundle: String, messageID: String, day: String = "") {
        self.provider = provider
        self.appBundle = appBundle
        self.messageID = messageID
        self.day = day
    }

    package static let unknownMessage = "unknown"

    package init(of event: PushEvent) {
        self.init(provider: event.provider, appBundle: event.appBundle, event.messageID, at: event.serverMS)
    }

    /// - Parameter time: when the event came, by the server's clock.
    package init(of event: PushEventHeader, at time: Int64) {
        self.init(provider: event.provider, appBundle: event.appBundle, event.messageID, at: time)
    }

    private init(provider: String, appBundle: String, _ messageID: String, at time: Int64) {
        self.init(provider: provider, appBundle: appBundle, messageID: messageID)
        guard messageID.isEmpty else { return }
        self.messageID = Self.unknownMessage
        self.day = String(RFC3339.string(time).prefix(10))
    }

    /// The key of its records in Kafka, the same for the same message and no other: its parts, percent-encoded, between
    /// slashes.
    package var recordKey: [UInt8] {
        let parts = [self.provider, self.appBundle, self.messageID] + (self.day.isEmpty ? [] : [self.day])
        return Array(
            parts.map { PercentEncoding.encode(Array($0.utf8)) }.joined(separator: [UInt8(ascii: "/")])
        )
    }
}
