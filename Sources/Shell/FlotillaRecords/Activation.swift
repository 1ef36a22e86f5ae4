import SwiftProtobuf
import WireFormats
package import WireMessages

/// A conversion of an app on a device, for the topic `activation`.
public struct Activation: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "activation"
    /// The topic, where no setting says otherwise, of the activations that have passed the intake.
    public static let dueTopic = "activation.due"

    package var message: Flotilla_Activation_V1_Activation

    package init(_ message: Flotilla_Activation_V1_Activation) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Activation_V1_Activation() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded()
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// The app's numeric id in Apple's App Store, or in Tencent's open platform for Android.
    public var appID: UInt64 {
        get { self.message.appID }
        set { self.message.appID = newValue }
    }

    /// The advertiser's numeric account at e.qq.com. With the app id it selects the keys.
    public var advertiserID: UInt64 {
        get { self.message.advertiserID }
        set { self.message.advertiserID = newValue }
    }

    /// `IOS`, `ANDROID` or `UNIONANDROID`, in any case.
    public var appType: String {
        get { self.message.appType }
        set { self.message.appType = newValue }
    }

    /// `MOBILEAPP_ACTIVITE` (spelt so), `MOBILEAPP_REGISTER`, `MOBILEAPP_ADDTOCART`, `MOBILEAPP_COST`,
    /// `MOBILEAPP_SCORE` or `MOBILEAPP_SEARCH`.
    public var conversionType: String {
        get { self.message.conversionType }
        set { self.message.conversionType = newValue }
    }

    /// The device's IDFA, IMEI or MEID. Either this or `muid` is given.
    public var deviceID: String {
        get { self.message.deviceID }
        set { self.message.deviceID = newValue }
    }

    /// The digest of the device's id: 32 lower-case hexadecimal digits.
    public var muid: String {
        get { self.message.muid }
        set { self.message.muid = newValue }
    }

    /// The time of the conversion, in milliseconds since 1970. If it is nil, the record's timestamp counts.
    public var convertedAtMS: Int64? {
        get { self.message.hasConvertedAt ? self.message.convertedAt.milliseconds : nil }
        set {
            if let newValue {
                self.message.convertedAt = Google_Protobuf_Timestamp(milliseconds: newValue)
            } else {
                self.message.clearConvertedAt()
            }
        }
    }

    /// The device's public address at that time, IPv4 or IPv6.
    public var clientIP: String? {
        get { self.message.hasClientIp ? self.message.clientIp : nil }
        set {
            if let newValue { self.message.clientIp = newValue } else { self.message.clearClientIp() }
        }
    }

    /// The id of the click that the conversion belongs to: 1 to 128 visible ASCII characters.
    public var clickID: String? {
        get { self.message.hasClickID ? self.message.clickID : nil }
        set {
            if let newValue { self.message.clickID = newValue } else { self.message.clearClickID() }
        }
    }

    /// The price that was paid, in fen. Only with `MOBILEAPP_COST`.
    public var value: Int64? {
        get { self.message.hasValue ? self.message.value : nil }
        set {
            if let newValue { self.message.value = newValue } else { self.message.clearValue() }
        }
    }

    /// Whether the user allows tracking. If it is false, nothing is reported.
    public var trackingAuthorized: Bool? {
        get { self.message.hasTrackingAuthorized ? self.message.trackingAuthorized : nil }
        set {
            if let newValue {
                self.message.trackingAuthorized = newValue
            } else {
                self.message.clearTrackingAuthorized()
            }
        }
    }

    /// The MD5 of the device's OAID as it is, for the Marketing API: 32 lower-case hexadecimal digits. It may stand
    /// alone, without `deviceID` and `muid`, as the Android id and the CAID may.
    public var hashOAID: String? {
        get { self.message.hasHashOaid ? self.message.hashOaid : nil }
        set {
            if let newValue { self.message.hashOaid = newValue } else { self.message.clearHashOaid() }
        }
    }

    /// The MD5 of the device's Android id as it is, for the Marketing API: 32 lower-case hexadecimal digits.
    public var hashAndroidID: String? {
        get { self.message.hasHashAndroidID ? self.message.hashAndroidID : nil }
        set {
            if let newValue {
                self.message.hashAndroidID = newValue
            } else {
                self.message.clearHashAndroidID()
            }
        }
    }

    /// The device's CAID, for the Marketing API: 1 to 64 letters, digits, hyphens and underscores. It needs
    /// `caidVersion`.
    public var caid: String? {
        get { self.message.hasCaid ? self.message.caid : nil }
        set {
            if let newValue { self.message.caid = newValue } else { self.message.clearCaid() }
        }
    }

    /// Tencent's number of the CAID's version, such as `1005`.
    public var caidVersion: String? {
        get { self.message.hasCaidVersion ? self.message.caidVersion : nil }
        set {
            if let newValue { self.message.caidVersion = newValue } else { self.message.clearCaidVersion() }
        }
    }

    /// The device's user agent, for the Marketing API. A report leaves out one that is longer than 1,024 bytes.
    public var userAgent: String? {
        get { self.message.hasUserAgent ? self.message.userAgent : nil }
        set {
            if let newValue { self.message.userAgent = newValue } else { self.message.clearUserAgent() }
        }
    }

    /// The click feed's `callback` of the click that the conversion belongs to: percent-encoded as it stood in the
    /// feed, or decoded once. At most 4,096 bytes. The report goes there if the app's settings allow callbacks.
    public var callback: String? {
        get { self.message.hasCallback ? self.message.callback : nil }
        set {
            if let newValue { self.message.callback = newValue } else { self.message.clearCallback() }
        }
    }
}
