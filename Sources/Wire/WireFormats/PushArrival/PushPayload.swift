import Cryptography

/// The ids and times in a notification's `userInfo`. Nothing that a person could read is taken from it.
///
/// The names of members are from each provider's own documents and SDKs. FCM's legacy API put
/// `gcm.notification.` before names that it did not know, ours among them.
package struct PushPayload: Hashable, Sendable {
    /// The provider, found by the members that are there; empty if no member shows one. A push with an id of
    /// its sender's own has the provider `ownProvider`, whichever channel carried it.
    package var provider: String
    /// The message id; empty if there is none.
    package var messageID: String
    /// Whether `messageID` is the sender's own id and not the channel's.
    package var hasOwnID: Bool
    /// The campaign id; empty if there is none.
    package var campaignID: String
    /// The time at which the push was sent, in milliseconds since 1970 by the server's clock; nil if it is
    /// missing or before 2015.
    package var sentMS: Int64?
    /// FCM's id of the installation, which can stand for the device; empty if there is none.
    package var installationID: String
    /// Whether a service extension runs for this push.
    package var isEligible: Bool
    /// The SHA-256 over the payload's canonical form, 64 lower-case hexadecimal digits.
    package var sha256: String

    /// The most bytes of a payload. Apple accepts 4,096 bytes, and 5,120 for a VoIP call.
    package static let bytesLimit = 8 * 1_024

    /// The provider of ids that senders choose themselves. Such an id names one push in all channels that
    /// carry it, so the channel's name must not separate them.
    package static let ownProvider = "apns"

    /// Reads a payload. Nil if the text is not one JSON object.
    ///
    /// - Parameters:
    ///   - paths: where other providers keep their ids.
    ///   - declared: the provider that the event names; empty if it names none.
    package init?(_ text: [UInt8], paths: PushPayloadPaths = PushPayloadPaths(), declared: String = "") {
        guard let payload = JSONOutline(text), payload.kind(payload.root) == .object else { return nil }
        let channels = Self.channels(payload, paths: paths, declared: declared)
        let channel = channels.first { !$0.messageID.isEmpty }
        let own = Self.ownID(payload, "mid", "msg_id")
        self.messageID = own ?? channel?.messageID ?? ""
        self.hasOwnID = own != nil
        self.provider = own == nil ? (channel ?? channels.first)?.provider ?? "" : Self.ownProvider
        self.campaignID =
            Self.ownID(payload, "cid", "campaign_id") ?? payload.idText(payload["google.c.a.c_id"]) ?? ""
        self.sentMS = Self.sentTime(payload)
        self.installationID = payload.idText(payload["google.c.fid"]) ?? ""
        self.isEligible = Self.isEligible(payload)
        self.sha256 = String(decoding: Digest.sha256.hexadecimal(payload.canonical), as: UTF8.self)
    }

    private static let legacyPrefix = "gcm.notification."

    /// Returns the first id under one of the names; names with FCM's legacy prefix come last.
    private static func ownID(_ payload: JSONOutline, _ names: String...) -> String? {
        for name in names {
            if let id = payload.idText(payload[name]) { return id }
        }
        guard payload.hasMember(startingWith: self.legacyPrefix) else { return nil }
        for name in names {
            if let id = payload.idText(payload[self.legacyPrefix + name]) { return id }
        }
        return nil
    }

    private static func sentTime(_ payload: JSONOutline) -> Int64? {
        for name in ["st", self.legacyPrefix + "st"] {
            if let time = payload.wholeNumber(payload[name]), PushTime.isPlausible(time) { return time }
        }
        // This time of FCM's is in seconds, all others are in milliseconds.
        guard let seconds = payload.wholeNumber(payload["google.c.a.ts"]) else { return nil }
        let (milliseconds, overflowed) = seconds.multipliedReportingOverflow(by: 1_000)
        return !overflowed && PushTime.isPlausible(milliseconds) ? milliseconds : nil
    }

    private static let alertTexts = [
        "title", "subtitle", "body", "loc-key", "title-loc-key", "subtitle-loc-key",
    ]

    /// Returns whether a service extension runs: only for a push that shows an alert and has
    /// `mutable-content` 1. The member `content-available` has no influence.
    private static func isEligible(_ payload: JSONOutline) -> Bool {
        guard let aps = payload["aps"], payload.isOne(payload.member(aps, "mutable-content")),
            let alert = payload.member(aps, "alert")
        else { return false }
        return payload.isText(alert)
            || self.alertTexts.contains { payload.isText(payload.member(alert, $0)) }
    }
}

// MARK: - Providers

extension PushPayload {
    /// A provider that the payload shows, and the provider's message id; the id is empty if only other
    /// members of the provider are there.
    private struct Channel {
        var provider: String
        var messageID: String
    }

    /// Returns the providers that the payload shows, the most certain first.
    private static func channels(
        _ payload: JSONOutline,
        paths: PushPayloadPaths,
        declared: String
    ) -> [Channel] {
        var channels: [Channel] = []
        func add(_ provider: String, _ id: String?, orShownBy isShown: Bool = false) {
            if id != nil || isShown { channels.append(Channel(provider: provider, messageID: id ?? "")) }
        }
        func has(_ names: String...) -> Bool { names.contains { payload[$0] != nil } }
        add(
            "fcm",
            payload.idText(payload["gcm.message_id"]) ?? payload.idText(payload["google.message_id"]),
            orShownBy: payload.hasMember(startingWith: "gcm.", "google.c.")
        )
        add(
            "jpush",
            payload.decimalID(payload["_j_msgid"]),
            orShownBy: has("_j_business", "_j_uid", "_j_data_")
        )
        add("umeng", self.umengID(payload))
        add("getui", payload.idText(payload["_gmid_"]), orShownBy: has("_ge_", "_gurl_"))
        if let (id, provider) = paths.messageID(in: payload, of: declared) { add(provider, id) }
        return channels
    }

    /// Returns Umeng's message id. Its member `d` has so short a name that apps use it too, so the value has
    /// to look like an id of Umeng's: `uu` or `us` and at least 10 digits.
    private static func umengID(_ payload: JSONOutline) -> String? {
        guard let id = payload.idText(payload["d"]),
            id.utf8.starts(with: "uu".utf8) || id.utf8.starts(with: "us".utf8)
        else { return nil }
        let digits = id.utf8.dropFirst(2)
        return digits.count >= 10 && digits.allSatisfy(\.isDigit) ? id : nil
    }
}

extension JSONOutline {
    /// The index of a member of the outermost object.
    fileprivate subscript(_ name: String) -> Int? { self.member(self.root, name) }

    fileprivate func hasMember(startingWith prefixes: String...) -> Bool {
        var isFound = false
        self.members(of: self.root) { name, _ in
            isFound = isFound || prefixes.contains { self.bytes(name).starts(with: $0.utf8) }
        }
        return isFound
    }
}
