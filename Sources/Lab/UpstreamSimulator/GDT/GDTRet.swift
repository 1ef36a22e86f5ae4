/// The code `ret` in a response of GDT. A script can ask for any number; the named codes are the ones known
/// of the service.
package struct GDTRet: RawRepresentable, Hashable, Sendable {
    /// The number in the field `ret`.
    package var rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The report is accepted.
    package static let accepted = GDTRet(rawValue: 0)
    /// The method is not GET, the path is another one, or a field is missing or empty.
    package static let illegalRequest = GDTRet(rawValue: -1)
    /// The decrypted report is malformed, or its signature is wrong.
    package static let unparsable = GDTRet(rawValue: -2)
    /// The field `v` is not valid base64.
    package static let undecodable = GDTRet(rawValue: -3)
    /// The account is unknown or has no encryption key.
    package static let noKeys = GDTRet(rawValue: -12)
    /// The app type is neither IOS nor ANDROID nor UNIONANDROID.
    package static let illegalAppType = GDTRet(rawValue: -13)
    /// The conversion time is not in seconds, or lies outside of the window.
    package static let illegalTime = GDTRet(rawValue: -14)
    /// The muid is not made of 32 hexadecimal digits in lower case.
    package static let illegalMuid = GDTRet(rawValue: -15)
    /// The account has no rule for the conversion type.
    package static let noRule = GDTRet(rawValue: -17)

    /// The text of the field `msg`: plain ASCII without quotes.
    var message: String {
        switch self {
        case .accepted: "success"
        case .illegalRequest: "illegal request parameter"
        case .unparsable: "parameter parsing failed"
        case .undecodable: "parameter decoding failed"
        case .noKeys: "fetching keys failed"
        case .illegalAppType: "illegal app type"
        case .illegalTime: "illegal conversion time"
        case .illegalMuid: "illegal muid"
        case .noRule: "fetching conversion rule failed"
        default: "unknown"
        }
    }
}
