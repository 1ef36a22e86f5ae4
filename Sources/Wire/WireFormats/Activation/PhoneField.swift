/// A field whose content a phone or its user chooses; backends forward it as it came. The raw value is its
/// name in protobuf.
///
/// Such content never makes a dead letter. Its record ends in a final outcome, because neither the publisher
/// nor an operator can correct what a phone sends.
enum PhoneField: String, Hashable, Sendable, CaseIterable {
    case deviceID = "device_id"
    case muid
    case convertedAt = "converted_at"
    case clientIP = "client_ip"
    case clickID = "click_id"
    case value
    case trackingAuthorized = "tracking_authorized"
    case hashOAID = "hash_oaid"
    case hashAndroidID = "hash_android_id"
    case caid
    case caidVersion = "caid_version"
    case userAgent = "user_agent"
    case callback

    /// The reason why a record with this field cannot be reported. It does not quote the field.
    var malformed: Reason {
        switch self {
        case .deviceID:
            Reason("device_id.malformed", "The device id is not of the kind that the app type has.")
        case .muid: Reason("muid.malformed", "The muid is not 32 lower-case hexadecimal digits.")
        case .convertedAt:
            Reason(
                "converted_at.malformed",
                "The time of the conversion is no RFC 3339 time with a zone, between 2001 and 9999."
            )
        case .clientIP: Reason("client_ip.malformed", "The client's address is neither IPv4 nor IPv6.")
        case .clickID: Reason("click_id.malformed", "The click id is not 1 to 128 visible ASCII characters.")
        case .value: Reason("value.malformed", "The value of the payment is not a whole number of fen.")
        case .trackingAuthorized:
            Reason("tracking.malformed", "Whether tracking is allowed is neither true nor false.")
        case .hashOAID:
            Reason("hash_oaid.malformed", "The hashOaid is not 32 lower-case hexadecimal digits.")
        case .hashAndroidID:
            Reason("hash_android_id.malformed", "The hashAndroidId is not 32 lower-case hexadecimal digits.")
        case .caid, .caidVersion:
            Reason("caid.malformed", "The caid is not 1 to 64 letters and digits, or has no caidVersion.")
        case .userAgent: Reason("user_agent.malformed", "The user agent is no text.")
        case .callback: CallbackURL.Refusal.malformed.reason
        }
    }

    /// All of these fields, as `LegiblePayload` knows them.
    static let members = Self.allCases.map { ClientMember($0.rawValue) }
}
