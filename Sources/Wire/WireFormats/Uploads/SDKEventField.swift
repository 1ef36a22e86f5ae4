/// A field of an event of GrowingIO's SDKs. The raw value is its number in the SDK's `EventV3Dto`, the name its
/// name in the SDK's JSON.
///
/// Numbers and names: growingio-sdk-ios-autotracker, 3.0.0 to 4.11.0. The 3.x SDKs and Android send `gioId`,
/// `globalSequenceId` and `pageShowTimestamp`, which later versions reserve.
package enum SDKEventField: UInt8, Hashable, Sendable, CaseIterable {
    case deviceId = 1, userId, gioId, sessionId, dataSourceId, eventType, platform, timestamp, domain, path
    case query, title, referralPage, globalSequenceId, eventSequenceId, screenHeight, screenWidth, language
    case sdkVersion, appVersion, extraSdk, eventName, pageShowTimestamp, attributes, resourceItem
    case protocolType, textValue, xpath, index, hyperlink, urlScheme, appState, networkState, appChannel
    case pageName, platformVersion, deviceBrand, deviceModel, deviceType, operatingSystem
    case appName = 42
    case latitude = 44, longitude, imei, androidId, oaid, googleAdvertisingId, idfa, idfv, orientation
    case projectKey, sendTime, userKey, xcontent, timezoneOffset
    /// A member of the JSON form that no version of the SDK has. It has no number on the wire.
    case other = 255

    /// The types of a field's content.
    enum Kind {
        case text
        case int32
        case int64
        case double
        case map
        case resource
        case eventType
    }

    var kind: Kind {
        switch self {
        case .eventType: .eventType
        case .timestamp, .globalSequenceId, .pageShowTimestamp, .sendTime: .int64
        case .eventSequenceId, .screenHeight, .screenWidth, .index: .int32
        case .latitude, .longitude: .double
        case .attributes, .extraSdk, .other: .map
        case .resourceItem: .resource
        default: .text
        }
    }

    /// The name of the field in JSON.
    package var name: String { String(describing: self) }
}
