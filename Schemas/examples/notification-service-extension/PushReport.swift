import Foundation

/// What became of a push on this device, as the topic `push-arrival` has it (`Schemas/flotilla/pusharrival/v1`).
public struct PushReport: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Sendable {
        case arrived, shown, opened, dismissed
        case attachmentShown = "attachment_shown"
    }

    public var type: Kind
    /// Tells repeats apart: a report that is posted twice counts once.
    public var eventId = UUID().uuidString.lowercased()
    public var appBundle: String
    /// The id of the installation, never the push token.
    public var deviceId: String
    public var messageId: String?
    public var campaignId: String?
    public var sentMs: Int64?
    /// When it happened, by the clock of the device.
    public var deviceMs: Int64
    /// When it is posted, by the same clock, so that its error can be taken off.
    public var uploadMs: Int64?
    public var nseEligible: Bool?
    /// The ids that a push service has put into the push. Nothing that a person has written goes on.
    public var payload: [String: String]?
    /// The segments that the sender counts the device in. A push has a rate by segment where both name the same ones, so
    /// they come from the push (`seg`) and not from the device.
    public var appVersion: String?
    public var osVersion: String?
    public var deviceModel: String?
    public var country: String?

    /// Makes a report of a notification's `userInfo`; nil if nothing in it says which push it was.
    public init?(
        _ type: Kind,
        of userInfo: [AnyHashable: Any],
        app: String,
        device: String,
        now: Date = Date()
    ) {
        self.type = type
        self.appBundle = app
        self.deviceId = device
        self.deviceMs = Int64(now.timeIntervalSince1970 * 1_000)
        self.messageId = Self.text(userInfo["mid"] ?? userInfo["msg_id"])
        self.campaignId = Self.text(userInfo["cid"])
        self.sentMs = Self.text(userInfo["st"]).flatMap { Int64($0) }
        // An extension has run, so the push was one that an extension runs for.
        if type == .arrived { self.nseEligible = true }
        if let segments = userInfo["seg"] as? [String: Any] {
            self.appVersion = Self.text(segments["appVersion"])
            self.osVersion = Self.text(segments["osVersion"])
            self.deviceModel = Self.text(segments["deviceModel"])
            self.country = Self.text(segments["country"])
        }
        guard self.messageId == nil else { return }
        let ids = Self.serviceKeys.compactMap { key in Self.text(userInfo[key]).map { (key, $0) } }
        guard !ids.isEmpty else { return nil }
        self.payload = Dictionary(uniqueKeysWithValues: ids)
    }

    /// The keys of FCM, JPush and Umeng that name a push and its campaign.
    private static let serviceKeys = [
        "gcm.message_id", "google.message_id", "google.c.a.c_id", "google.c.a.ts", "_j_msgid", "d",
    ]

    /// Returns a text or a number as text. JPush's ids are numbers of 64 bits, which a Double would change.
    private static func text(_ value: Any?) -> String? {
        switch value {
        case let text as String: text.isEmpty || text.utf8.count > 256 ? nil : text
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }
}
