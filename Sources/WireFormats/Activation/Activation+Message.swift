import SwiftProtobuf
import WireMessages

extension Activation {
    /// 2001-09-09, when seconds came to have ten digits, to the end of 9999.
    private static let convertedAtRange: ClosedRange<Int64> = 1_000_000_000...253_402_300_799
    private static let clickIDLengthLimit = 128

    init(_ message: Flotilla_Activation_V1_Activation) throws(Fault) {
        guard message.appID != 0 else {
            throw Self.invalid("app_id.missing", "The app id is missing.")
        }
        guard message.advertiserID != 0 else {
            throw Self.invalid("advertiser_id.missing", "The advertiser id is missing.")
        }
        guard let appType = AppType(inAnyCase: message.appType) else {
            throw Self.invalid("app_type.unknown", "The app type is none that GDT knows.")
        }
        guard let conversionType = ConversionType(rawValue: message.conversionType) else {
            throw Self.invalid("conversion_type.unknown", "The conversion type is none that GDT knows.")
        }
        guard message.deviceID.isEmpty || message.muid.isEmpty else {
            throw Self.invalid("device_id.ambiguous", "Both a device id and a muid are given.")
        }
        self.account = GDTAccount(appID: message.appID, advertiserID: message.advertiserID)
        self.appType = appType
        self.conversionType = conversionType
        self.convertedAt = try Self.convertedAt(of: message)
        self.clientIP = try Self.clientIP(of: message)
        self.clickID = try Self.clickID(of: message)
        self.value = try Self.value(of: message, conversionType)
        do throws(MUID.Fault) {
            self.muid = try Self.muid(of: message, appType)
        } catch {
            // Last, so that a record refused for having no device is known to be right in all the rest.
            throw Self.fault(error, in: message)
        }
    }

    private static func convertedAt(of message: Flotilla_Activation_V1_Activation) throws(Fault) -> Int64 {
        guard message.hasConvertedAt, message.convertedAt.seconds != 0 else {
            throw self.invalid("converted_at.missing", "The time of the conversion is missing.")
        }
        guard self.convertedAtRange.contains(message.convertedAt.seconds) else {
            throw self.invalid(
                "converted_at.malformed",
                "The time of the conversion is not between 2001 and 9999."
            )
        }
        return message.convertedAt.seconds
    }

    private static func clientIP(of message: Flotilla_Activation_V1_Activation) throws(Fault) -> String? {
        guard !message.clientIp.isEmpty else { return nil }
        guard IPAddress.isValid(message.clientIp) else {
            throw self.invalid("client_ip.malformed", "The client's address is neither IPv4 nor IPv6.")
        }
        return message.clientIp
    }

    private static func clickID(of message: Flotilla_Activation_V1_Activation) throws(Fault) -> String? {
        guard !message.clickID.isEmpty else { return nil }
        let bytes = message.clickID.utf8
        guard bytes.count <= self.clickIDLengthLimit, bytes.allSatisfy(\.isVisible) else {
            throw self.invalid("click_id.malformed", "The click id is not 1 to 128 visible ASCII characters.")
        }
        return message.clickID
    }

    private static func value(
        of message: Flotilla_Activation_V1_Activation,
        _ conversionType: ConversionType
    ) throws(Fault) -> Int64? {
        guard message.hasValue else { return nil }
        guard conversionType == .payment else {
            throw self.invalid("value.not_a_payment", "Only a payment (MOBILEAPP_COST) has a value.")
        }
        guard message.value >= 0 else {
            throw self.invalid("value.negative", "The value of a payment is negative.")
        }
        return message.value
    }

    private static func muid(
        of message: Flotilla_Activation_V1_Activation,
        _ appType: AppType
    ) throws(MUID.Fault) -> MUID {
        message.muid.isEmpty
            ? try MUID(deviceID: message.deviceID, of: appType)
            : try MUID(digest: message.muid)
    }

    private static func fault(_ fault: MUID.Fault, in message: Flotilla_Activation_V1_Activation) -> Fault {
        let answer = ActivationAnswer(
            account: GDTAccount(appID: message.appID, advertiserID: message.advertiserID),
            conversionType: message.conversionType
        )
        return switch fault {
        case .emptyDevice:
            .refused(Reason("device_id.empty", "The device has no id: it cannot be reported."), answer)
        case .zeroDevice:
            .refused(Reason("device_id.zero", "The device's id is all zeros: tracking is denied."), answer)
        case .malformedDevice:
            self.invalid("device_id.malformed", "The device id is not of the kind that the app type has.")
        case .malformedDigest:
            self.invalid("muid.malformed", "The muid is not 32 lower-case hexadecimal digits.")
        }
    }

    private static func invalid(_ code: String, _ message: String) -> Fault {
        .record(.invalid(code, message))
    }
}
