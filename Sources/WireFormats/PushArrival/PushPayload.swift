/// What is taken from a notification's `userInfo`: ids and times, and nothing that a person could read.
package struct PushPayload: Hashable, Sendable {
    /// Whose push it is by the members that are there; empty where none shows it.
    package var provider: String
    /// Empty where there is none.
    package var messageID: String
    package var campaignID: String
    /// Milliseconds since 1970, by the server's clock.
    package var sentMS: Int64?
    /// FCM's id of the installation, which stands for the device.
    package var installationID: String
    /// Whether a service extension runs for this push.
    package var isEligible: Bool
    /// SHA-256 over the canonical form, 64 lower-case hexadecimal digits.
    package var sha256: String

    /// What a payload may have. Apple takes 4,096 bytes, and 5,120 of a call.
    package static let bytesLimit = 8 * 1_024

    /// Nil if the text is not one JSON object.
    ///
    /// - Parameter declared: the provider that the event names, or nothing.
    package init?(_ text: [UInt8], paths: PushPayloadPaths = PushPayloadPaths(), declared: String = "") {
        guard let tree = try? JSONTree(parsing: text), case .object = tree else { return nil }
        self.init(tree, paths: paths, declared: declared)
    }

    private init(_ tree: JSONTree, paths: PushPayloadPaths, declared: String) {
        let channels = Self.channels(tree, paths: paths, declared: declared)
        let channel = channels.first { !$0.messageID.isEmpty }
        let own = Self.own(tree, ["mid", "msg_id"])?.idText
        self.messageID = own ?? channel?.messageID ?? ""
        // The channel of an own id is whichever shows itself, be it without an id.
        self.provider = (own == nil ? channel : nil)?.provider ?? channels.first?.provider ?? ""
        self.campaignID =
            Self.own(tree, ["cid", "campaign_id"])?.idText ?? tree.member("google.c.a.c_id")?.idText ?? ""
        self.sentMS = Self.sentTime(tree)
        self.installationID = tree.member("google.c.fid")?.idText ?? ""
        self.isEligible = Self.isEligible(tree)
        self.sha256 = tree.canonicalSHA256
    }

    /// A member of our own. What stood in the `notification` of FCM's legacy API arrives with a prefix.
    private static func own(_ tree: JSONTree, _ names: [String]) -> JSONTree? {
        for prefix in ["", "gcm.notification."] {
            for name in names {
                if let member = tree.member(prefix + name), member.idText != nil { return member }
            }
        }
        return nil
    }

    private static func sentTime(_ tree: JSONTree) -> Int64? {
        let own = Self.own(tree, ["st"])?.wholeNumber
        if let own, PushTime.isPlausible(own) { return own }
        // The one time in seconds.
        guard let seconds = tree.member("google.c.a.ts")?.wholeNumber else { return nil }
        let (milliseconds, overflowed) = seconds.multipliedReportingOverflow(by: 1_000)
        return !overflowed && PushTime.isPlausible(milliseconds) ? milliseconds : nil
    }

    /// It runs only for what shows an alert, and only where `mutable-content` asks for it. `content-available` is another
    /// matter.
    private static func isEligible(_ tree: JSONTree) -> Bool {
        guard let aps = tree.member("aps"), case .number(let flag)? = aps.member("mutable-content"),
            let alert = aps.member("alert"), let one = JSONNumber("1"), JSONNumber(flag) == one
        else { return false }
        if case .string(let text) = alert { return !text.isEmpty }
        let shown = ["title", "subtitle", "body", "loc-key", "title-loc-key", "subtitle-loc-key"]
        return shown.contains { name in
            guard case .string(let text)? = alert.member(name) else { return false }
            return !text.isEmpty
        }
    }
}

// MARK: - Providers

extension PushPayload {
    /// A provider that a payload shows, and its id of the message; empty where there is only the rest of its members.
    private struct Channel {
        var provider: String
        var messageID: String
    }

    /// From the surest to the least sure.
    private static func channels(_ tree: JSONTree, paths: PushPayloadPaths, declared: String) -> [Channel] {
        var channels: [Channel] = []
        func add(_ provider: String, _ id: String?, orShownBy isShown: Bool = false) {
            if id != nil || isShown { channels.append(Channel(provider: provider, messageID: id ?? "")) }
        }
        func has(_ names: String...) -> Bool { names.contains { tree.member($0) != nil } }
        add(
            "fcm",
            tree.member("gcm.message_id")?.idText ?? tree.member("google.message_id")?.idText,
            orShownBy: tree.hasMember { $0.hasPrefix("gcm.") || $0.hasPrefix("google.c.") }
        )
        add("jpush", tree.member("_j_msgid")?.decimalID, orShownBy: has("_j_business", "_j_uid", "_j_data_"))
        add("umeng", self.umengID(tree))
        add("getui", tree.member("_gmid_")?.idText, orShownBy: has("_ge_", "_gurl_"))
        if let (id, provider) = paths.messageID(in: tree, of: declared) { add(provider, id) }
        return channels
    }

    /// The name is so short that apps use it too, so the value has to look like one of Umeng's.
    private static func umengID(_ tree: JSONTree) -> String? {
        guard let id = tree.member("d")?.idText, id.hasPrefix("uu") || id.hasPrefix("us") else { return nil }
        let digits = id.utf8.dropFirst(2)
        return digits.count >= 10 && digits.allSatisfy(\.isDigit) ? id : nil
    }
}
