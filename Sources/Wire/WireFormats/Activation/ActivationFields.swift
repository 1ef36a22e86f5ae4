import SwiftProtobuf
import WireMessages

/// The fields of an activation as its publisher has sent them, not yet checked. A text that is not there is empty.
///
/// The generated message keeps so many fields in an object of its own, which is copied for each record and whose every field
/// is guarded by the runtime. For a record in JSON that costs more than to read it.
struct ActivationFields: Hashable {
    var appID: UInt64 = 0
    var advertiserID: UInt64 = 0
    var appType = ""
    var conversionType = ""
    var deviceID = ""
    var muid = ""
    /// The time in seconds since 1970.
    var convertedAt: Int64?
    var clientIP = ""
    var clickID = ""
    var value: Int64?
    var isTrackingAuthorized: Bool?
    var callback = ""
    var hashOAID = ""
    var hashAndroidID = ""
    var caid = ""
    var caidVersion = ""
    var userAgent = ""
}

extension ActivationFields {
    /// Takes the fields out of a decoded message.
    init(_ message: Flotilla_Activation_V1_Activation) {
        self.appID = message.appID
        self.advertiserID = message.advertiserID
        self.appType = message.appType
        self.conversionType = message.conversionType
        self.deviceID = message.deviceID
        self.muid = message.muid
        self.convertedAt = message.hasConvertedAt ? message.convertedAt.seconds : nil
        self.clientIP = message.clientIp
        self.clickID = message.clickID
        self.value = message.hasValue ? message.value : nil
        self.isTrackingAuthorized = message.hasTrackingAuthorized ? message.trackingAuthorized : nil
        self.callback = message.callback
        self.hashOAID = message.hashOaid
        self.hashAndroidID = message.hashAndroidID
        self.caid = message.caid
        self.caidVersion = message.caidVersion
        self.userAgent = message.userAgent
    }
}
