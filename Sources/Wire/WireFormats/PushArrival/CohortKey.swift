/// The message that an event belongs to, or the segment of devices and the day. Message ids are unique only within a
/// provider and an app.
///
/// Two keys are equal if they are equal in UTF-8, as they are for Kafka. Swift's own equality of strings does
/// not serve: it also treats different spellings of one letter as equal.
package struct CohortKey: Sendable {
    /// The provider; never empty in the key of a counted event.
    package let provider: String
    /// The app's bundle id; empty if it is unknown.
    package let appBundle: String
    /// The message id; `unknown` for events that name no message, `all` for a segment.
    package let messageID: String
    /// The UTC day as YYYY-MM-DD for events that name no message, and for a segment; empty for messages.
    package let day: String
    /// The segment as its dimension and its name, such as app_version=3.2.1; empty for messages.
    package let segment: String
    /// Whether all parts are ASCII. Swift treats strings of ASCII as equal only if their bytes are equal, and
    /// compares and hashes them fastest.
    private let isASCII: Bool
    /// A hash of all parts, computed once, because a key is looked up several times for each event.
    private let digest: Int

    /// Makes a key of its parts.
    package init(
        provider: String,
        appBundle: String,
        messageID: String,
        day: String = "",
        segment: String = ""
    ) {
        self.provider = provider
        self.appBundle = appBundle
        self.messageID = messageID
        self.day = day
        self.segment = segment
        self.isASCII =
            provider.isASCII && appBundle.isASCII && messageID.isASCII && day.isASCII && segment.isASCII
        var hasher = Hasher()
        hasher.combine(provider, isASCII: self.isASCII)
        hasher.combine(appBundle, isASCII: self.isASCII)
        hasher.combine(messageID, isASCII: self.isASCII)
        hasher.combine(day, isASCII: self.isASCII)
        hasher.combine(segment, isASCII: self.isASCII)
        self.digest = hasher.finalize()
    }

    /// The message id that gathers the events of one day that name no message.
    package static let unknownMessage = "unknown"
    /// The message id of all segments.
    package static let allMessages = "all"

    /// Makes the key of the pushes that were sent to a segment of an app's devices on one day.
    ///
    /// - Parameters:
    ///   - message: any message of the app.
    ///   - segment: the name of the segment in its dimension.
    ///   - time: the time of sending, in milliseconds since 1970.
    package init(
        ofAppOf message: CohortKey,
        segment: String,
        by dimension: PushSegments.Dimension,
        sentAt time: Int64
    ) {
        self.init(
            provider: message.provider,
            appBundle: message.appBundle,
            messageID: Self.allMessages,
            day: Self.day(of: time),
            segment: "\(dimension.rawValue)=\(segment)"
        )
    }

    private static func day(of time: Int64) -> String { String(RFC3339.string(time).prefix(10)) }

    /// Makes the key of an event. An event without a message id belongs to its UTC day, by the server's
    /// clock.
    package init(of event: PushEvent) {
        self.init(provider: event.provider, appBundle: event.appBundle, event.messageID, at: event.serverMS)
    }

    /// Makes the key of a refused event, as far as it could be read.
    package init(of event: PushEventHeader) {
        self.init(provider: event.provider, appBundle: event.appBundle, event.messageID, at: event.serverMS)
    }

    private init(provider: String, appBundle: String, _ messageID: String, at time: Int64) {
        guard messageID.isEmpty else {
            self.init(provider: provider, appBundle: appBundle, messageID: messageID)
            return
        }
        self.init(
            provider: provider,
            appBundle: appBundle,
            messageID: Self.unknownMessage,
            day: Self.day(of: time)
        )
    }

    /// The key of this message's records in Kafka: its parts, percent-encoded and joined by slashes.
    /// Different keys have different record keys.
    package var recordKey: [UInt8] {
        let parts =
            [self.provider, self.appBundle, self.messageID]
            + [self.day, self.segment].prefix { !$0.isEmpty }
        return Array(
            parts.map { PercentEncoding.encode(Array($0.utf8)) }.joined(separator: [UInt8(ascii: "/")])
        )
    }
}

extension CohortKey: Hashable {
    package static func == (one: CohortKey, other: CohortKey) -> Bool {
        one.digest == other.digest && one.isASCII == other.isASCII && one.messageID == other.messageID
            && one.appBundle == other.appBundle && one.provider == other.provider && one.day == other.day
            && one.segment == other.segment && (one.isASCII || one.hasSameUTF8(as: other))
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.digest) }

    private func hasSameUTF8(as other: CohortKey) -> Bool {
        zip(self.texts, other.texts).allSatisfy { $0.elementsEqual($1) }
    }
}

/// Keys are ordered by message id, app, provider, day and segment, in this order, by the bytes of their UTF-8.
extension CohortKey: Comparable {
    package static func < (one: CohortKey, other: CohortKey) -> Bool {
        for (left, right) in zip(one.texts, other.texts) where !left.elementsEqual(right) {
            return left.lexicographicallyPrecedes(right)
        }
        return false
    }

    private var texts: [String.UTF8View] {
        [self.messageID, self.appBundle, self.provider, self.day, self.segment].map(\.utf8)
    }
}

extension String {
    /// Whether all characters are ASCII: any other character has fewer units in UTF-16 than in UTF-8. A
    /// string of ASCII knows both counts without reading its characters.
    fileprivate var isASCII: Bool { self.utf16.count == self.utf8.count }
}

extension Hasher {
    /// Combines a string byte by byte unless it is ASCII. Swift's own hash is equal for all spellings of a
    /// string, so a client that chooses ids could choose a million with the same hash.
    fileprivate mutating func combine(_ text: String, isASCII: Bool) {
        guard !isASCII else { return self.combine(text) }
        for byte in text.utf8 { self.combine(byte) }
        // The byte 0xFF marks the end of a text, because UTF-8 never contains it.
        self.combine(UInt8(0xFF))
    }
}
