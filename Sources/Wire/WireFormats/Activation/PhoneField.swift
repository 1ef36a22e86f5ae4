import SwiftProtobuf
import WireMessages

/// A field whose content a phone or its user chooses; backends forward it as it came. The raw value is its
/// name in JSON.
///
/// Such content never makes a dead letter. Its record ends in a final outcome, because neither the publisher
/// nor an operator can correct what a phone sends.
enum PhoneField: String, Hashable, Sendable, CaseIterable {
    case deviceID = "deviceId"
    case muid
    case convertedAt
    case clientIP = "clientIp"
    case clickID = "clickId"
    case value
    case trackingAuthorized
    case hashOAID = "hashOaid"
    case hashAndroidID = "hashAndroidId"
    case caid
    case caidVersion
    case userAgent
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

    /// Returns the field with this name; a field has two names in JSON.
    fileprivate static func named(_ name: Int, in record: JSONOutline) -> PhoneField? {
        self.allCases.first { field in
            record.isNamed(name, field.rawValue)
                || record.isNamed(name, ProtobufName.snakeCase(field.rawValue))
        }
    }

    /// Returns whether the field's content can be decoded at all. A backend may forward a number where the
    /// schema has a text, or half of a surrogate pair.
    fileprivate func isLegible(_ content: ArraySlice<UInt8>) -> Bool {
        let message = Array("{\"\(self.rawValue)\":".utf8) + content + "}".utf8
        return (try? Flotilla_Activation_V1_Activation(jsonUTF8Bytes: message)) != nil
    }
}

extension RecordPayload {
    /// Returns the payload with null in place of every phone's field that cannot be decoded, and the first of
    /// those fields.
    ///
    /// Nil if there are no such fields, or if the payload is not one object in JSON.
    func withoutIllegiblePhoneFields() -> (payload: RecordPayload, first: PhoneField)? {
        guard self.format == .json, let record = JSONOutline(self.bytes, from: self.start) else { return nil }
        var bytes: [UInt8] = []
        var position = self.start
        var first: PhoneField?
        record.members(of: record.root) { name, value in
            let content = record.wholeRange(value)
            guard let field = PhoneField.named(name, in: record),
                !field.isLegible(record.text[content])
            else { return }
            first = first ?? field
            bytes += record.text[position..<content.lowerBound] + "null".utf8
            position = content.upperBound
        }
        guard let first else { return nil }
        var payload = self
        payload.bytes = bytes + record.text[position...]
        payload.start = 0
        return (payload, first)
    }
}
