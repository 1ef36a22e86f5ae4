/// Which message: ids are unique within a provider and an app only.
///
/// Two of them are one message if they are the same in UTF-8, as they are for Kafka. For Swift, strings are also equal
/// that spell a letter in different ways.
package struct CohortKey: Sendable {
    package let provider: String
    package let appBundle: String
    package let messageID: String
    /// The UTC day as YYYY-MM-DD of the events that name no message; empty for all others.
    package let day: String
    /// Strings of ASCII are equal for Swift, too, only if they are the same, and it compares and hashes them fastest.
    private let isASCII: Bool
    /// Of all of them, made once: a key is looked up several times for each event.
    private let digest: Int

    package init(provider: String, appBundle: String, messageID: String, day: String = "") {
        self.provider = provider
        self.appBundle = appBundle
        self.messageID = messageID
        self.day = day
        self.isASCII = provider.isASCII && appBundle.isASCII && messageID.isASCII && day.isASCII
        var hasher = Hasher()
        hasher.combine(provider, isASCII: self.isASCII)
        hasher.combine(appBundle, isASCII: self.isASCII)
        hasher.combine(messageID, isASCII: self.isASCII)
        hasher.combine(day, isASCII: self.isASCII)
        self.digest = hasher.finalize()
    }

    package static let unknownMessage = "unknown"

    package init(of event: PushEvent) {
        self.init(provider: event.provider, appBundle: event.appBundle, event.messageID, at: event.serverMS)
    }

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
            day: String(RFC3339.string(time).prefix(10))
        )
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

extension CohortKey: Hashable {
    package static func == (one: CohortKey, other: CohortKey) -> Bool {
        one.digest == other.digest && one.isASCII == other.isASCII && one.messageID == other.messageID
            && one.appBundle == other.appBundle && one.provider == other.provider && one.day == other.day
            && (one.isASCII || one.hasSameUTF8(as: other))
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.digest) }

    private func hasSameUTF8(as other: CohortKey) -> Bool {
        zip(self.texts, other.texts).allSatisfy { $0.elementsEqual($1) }
    }
}

/// By their messages first.
extension CohortKey: Comparable {
    package static func < (one: CohortKey, other: CohortKey) -> Bool {
        for (left, right) in zip(one.texts, other.texts) where !left.elementsEqual(right) {
            return left.lexicographicallyPrecedes(right)
        }
        return false
    }

    private var texts: [String.UTF8View] {
        [self.messageID, self.appBundle, self.provider, self.day].map(\.utf8)
    }
}

extension String {
    /// Everything else has fewer units in UTF-16. Of ASCII, a string knows both counts.
    fileprivate var isASCII: Bool { self.utf16.count == self.utf8.count }
}

extension Hasher {
    /// A string's own hash is the same for all spellings of it: whoever chooses ids could choose a million that are.
    fileprivate mutating func combine(_ text: String, isASCII: Bool) {
        guard !isASCII else { return self.combine(text) }
        for byte in text.utf8 { self.combine(byte) }
        // Where one text ends and the next begins: no byte of UTF-8.
        self.combine(UInt8(0xFF))
    }
}
