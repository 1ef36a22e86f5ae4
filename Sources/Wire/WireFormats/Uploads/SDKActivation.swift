/// The content of an event of the type `ACTIVATE`: an app was opened for the first time, or again through a link.
package struct SDKActivation: Hashable, Sendable {
    /// The kinds of `ACTIVATE`, told apart by the event's name.
    package enum Kind: String, Hashable, Sendable {
        /// The first start of an installation (`$app_activation`, or no name: the SDKs 3.4.4 to 3.4.6 knew
        /// no other kind).
        case activation
        /// The first start, with a link on the clipboard (`$app_defer`). It counts as the activation.
        case deferred
        /// The app was opened by a link (`$app_reengage`), which is no conversion.
        case reengage
        /// An event name that no SDK has.
        case unknown

        /// Whether the event is reported as a conversion.
        package var isConversion: Bool { self == .activation || self == .deferred }
    }

    package var kind: Kind
    /// The account of the upload's project.
    package var account: String
    package var dataSourceID: String
    /// The app's bundle id, or its package name on Android.
    package var domain: String?
    /// The installation. It can outlive a reinstall, and it is never reported in place of an identifier.
    package var deviceID: String
    package var platform: String?
    /// When it happened, in milliseconds since 1970 by the device's clock.
    package var timestampMS: Int64
    /// Identifiers of the device; nil for an empty one and for one that begins with eight zeros, as where
    /// tracking is denied.
    package var idfa: String?
    package var idfv: String?
    package var imei: String?
    package var oaid: String?
    package var androidID: String?
    package var userAgent: String?
    package var deepLinkID: String?
    package var deepClickID: String?
    /// JSON text: a list of objects with `caid` and `version`.
    package var caid: String?
    package var sdkVersion: String?

    /// The time in whole seconds since 1970, rounded down, as Tencent counts.
    package var convertedAt: Int64 { self.timestampMS / 1_000 }

    /// Reads an event; nil if its type is another, or it does not say whose it is and when it happened.
    package init?(_ event: SDKEvent, account: String) {
        guard event.type == .activate, let device = event.text(.deviceId),
            let source = event.text(.dataSourceId), let timestamp = event.integer(.timestamp), timestamp > 0
        else { return nil }
        self.kind = event.text(.eventName).map(Self.kind(named:)) ?? .activation
        self.account = account
        self.dataSourceID = source
        self.domain = event.text(.domain)
        self.deviceID = device
        self.platform = event.text(.platform)
        self.timestampMS = timestamp
        self.idfa = Self.identifier(event.text(.idfa))
        self.idfv = Self.identifier(event.text(.idfv))
        self.imei = Self.identifier(event.text(.imei))
        self.oaid = Self.identifier(event.text(.oaid))
        self.androidID = Self.identifier(event.text(.androidId))
        self.userAgent = Self.trimmed(event.attribute("userAgent"))
        self.deepLinkID = Self.trimmed(event.attribute("deep_link_id"))
        self.deepClickID = Self.trimmed(event.attribute("deep_click_id"))
        self.caid = Self.trimmed(event.attribute("CAID"))
        self.sdkVersion = event.text(.sdkVersion)
    }

    /// The kinds by the names of their events.
    private static let kinds: [(name: String, kind: Kind)] = [
        ("$app_activation", .activation), ("$app_defer", .deferred), ("$app_reengage", .reengage),
    ]

    private static func kind(named name: String) -> Kind {
        self.kinds.first { name.isExactly($0.name) }?.kind ?? .unknown
    }

    private static func trimmed(_ text: String?) -> String? {
        guard let text else { return nil }
        let bytes = Array(text.utf8).trimmingWhiteSpace()
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func identifier(_ text: String?) -> String? {
        self.trimmed(text).flatMap { $0.utf8.starts(with: "00000000".utf8) ? nil : $0 }
    }
}
