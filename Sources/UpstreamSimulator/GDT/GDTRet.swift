/// The code an answer carries. Any number can be scripted; the named ones are those the service is known for.
package struct GDTRet: RawRepresentable, Hashable, Sendable {
    package var rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static let accepted = GDTRet(rawValue: 0)
    package static let illegalRequest = GDTRet(rawValue: -1)
    package static let unparsable = GDTRet(rawValue: -2)
    package static let undecodable = GDTRet(rawValue: -3)
    package static let noKeys = GDTRet(rawValue: -12)
    package static let illegalAppType = GDTRet(rawValue: -13)
    package static let illegalTime = GDTRet(rawValue: -14)
    package static let illegalMuid = GDTRet(rawValue: -15)
    package static let noRule = GDTRet(rawValue: -17)

    /// What stands in `msg`: plain ASCII without quotes.
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
