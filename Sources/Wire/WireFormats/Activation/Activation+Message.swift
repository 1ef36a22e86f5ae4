import SwiftProtobuf
import WireMessages

extension Activation {
    /// The accepted times in seconds: from 2001-09-09, when they first had ten digits, to the end of 9999.
    package static let convertedAtRange: ClosedRange<Int64> = 1_000_000_000...253_402_300_799
    private static let clickIDLengthLimit = 128

    /// Checks a decoded message. The publisher's fields are checked first: a fault in one of them makes a
    /// dead letter, and a fault in a phone's field must not hide it.
    ///
    /// - Parameters:
    ///   - illegible: a phone's field that the record has but the message lacks, because it could not be
    ///     decoded.
    ///   - recordTimestamp: the time of the conversion, in milliseconds since 1970, if the message names none;
    ///     nil if the record carries none.
    init(
        _ message: Flotilla_Activation_V1_Activation,
        illegible: PhoneField? = nil,
        recordTimestamp: Int64? = nil
    ) throws(Fault) {
        let assumed = Self.assumedTime(of: message, illegible, recordTimestamp)
        guard message.appID != 0 else {
            throw Self.invalid("app_id.missing", "The field `appId` is missing.")
        }
        guard message.advertiserID != 0 else {
            throw Self.invalid("advertiser_id.missing", "The field `advertiserId` is missing.")
        }
        guard let appType = AppType(inAnyCase: message.appType) else {
            throw Self.invalid("app_type.unknown", "The field `appType` is no app type that GDT knows.")
        }
        guard let conversionType = ConversionType(rawValue: message.conversionType) else {
            throw Self.invalid(
                "conversion_type.unknown",
                "The field `conversionType` is no type of conversion that GDT knows."
            )
        }
        guard message.deviceID.isEmpty || message.muid.isEmpty else {
            throw Self.invalid("device_id.ambiguous", "Both a device id and a muid are given.")
        }
        guard message.hasConvertedAt || illegible == .convertedAt || assumed != nil else {
            throw Self.invalid(
                "converted_at.missing",
                "Neither the field `convertedAt` nor the record's timestamp is a time."
            )
        }
        guard !message.hasValue || conversionType == .payment else {
            throw Self.invalid("value.not_a_payment", "Only a payment (MOBILEAPP_COST) has a value.")
        }
        self.account = GDTAccount(appID: message.appID, advertiserID: message.advertiserID)
        self.appType = appType
        self.conversionType = conversionType
        do throws(Refusal) {
            if let illegible { throw Refusal(reason: illegible.malformed) }
            guard !message.hasTrackingAuthorized || message.trackingAuthorized else {
                throw Refusal(reason: Self.trackingDenied)
            }
            if let assumed {
                self.convertedAt = assumed
            } else {
                self.convertedAt = try Self.convertedAt(of: message)
            }
            self.isTimeAssumed = assumed != nil
            self.clientIP = try Self.clientIP(of: message)
            self.clickID = try Self.clickID(of: message)
            self.value = try Self.value(of: message)
            self.ids = try Self.ids(of: message)
            if message.deviceID.isEmpty, message.muid.isEmpty, let first = self.ids.first {
                self.muid = first
                self.hasMUID = false
            } else {
                self.muid = try Self.muid(of: message, appType)
            }
            self.callback = message.callback.isEmpty ? nil : message.callback
            let isReported = (1...Self.userAgentBytesLimit).contains(message.userAgent.utf8.count)
            self.userAgent = isReported ? message.userAgent : nil
        } catch {
            let account = GDTAccount(appID: message.appID, advertiserID: message.advertiserID)
            throw .refused(
                error.reason,
                ActivationAnswer(account: account, conversionType: message.conversionType)
            )
        }
    }

    private static let trackingDenied = Reason(
        "tracking.denied",
        "The user has not allowed tracking: nothing is reported."
    )

    /// The seconds of the record's own timestamp, if the message names no time; nil if it does, or if the
    /// timestamp is no time of a conversion.
    private static func assumedTime(
        of message: Flotilla_Activation_V1_Activation,
        _ illegible: PhoneField?,
        _ timestamp: Int64?
    ) -> Int64? {
        guard !message.hasConvertedAt, illegible != .convertedAt, let timestamp else { return nil }
        let seconds = timestamp / 1_000
        return self.convertedAtRange.contains(seconds) ? seconds : nil
    }

    /// A final refusal because of a field that a phone chose.
    private struct Refusal: Error {
        var reason: Reason
    }

    private static func convertedAt(of message: Flotilla_Activation_V1_Activation) throws(Refusal) -> Int64 {
        guard self.convertedAtRange.contains(message.convertedAt.seconds) else {
            throw Refusal(reason: PhoneField.convertedAt.malformed)
        }
        return message.convertedAt.seconds
    }

    private static func clientIP(of message: Flotilla_Activation_V1_Activation) throws(Refusal) -> String? {
        guard !message.clientIp.isEmpty else { return nil }
        guard IPAddress.isValid(message.clientIp) else {
            throw Refusal(reason: PhoneField.clientIP.malformed)
        }
        return message.clientIp
    }

    private static func clickID(of message: Flotilla_Activation_V1_Activation) throws(Refusal) -> String? {
        guard !message.clickID.isEmpty else { return nil }
        let bytes = message.clickID.utf8
        guard bytes.count <= self.clickIDLengthLimit, bytes.allSatisfy(\.isVisible) else {
            throw Refusal(reason: PhoneField.clickID.malformed)
        }
        return message.clickID
    }

    private static func value(of message: Flotilla_Activation_V1_Activation) throws(Refusal) -> Int64? {
        guard message.hasValue else { return nil }
        guard message.value >= 0 else {
            throw Refusal(reason: Reason("value.negative", "The value of a payment is negative."))
        }
        return message.value
    }

    private static func ids(of message: Flotilla_Activation_V1_Activation) throws(Refusal) -> DeviceIDs {
        var ids = DeviceIDs()
        ids.hashOAID = try self.digest(message.hashOaid, .hashOAID)
        ids.hashAndroidID = try self.digest(message.hashAndroidID, .hashAndroidID)
        guard !message.caid.isEmpty else { return ids }
        guard let caid = DeviceIDs.CAID(message.caid, version: message.caidVersion) else {
            throw Refusal(reason: PhoneField.caid.malformed)
        }
        ids.caid = caid
        return ids
    }

    /// Returns a digest; nil for that of an empty id and of an all-zero id, which stand for none.
    private static func digest(_ text: String, _ field: PhoneField) throws(Refusal) -> MUID? {
        guard !text.isEmpty else { return nil }
        do throws(MUID.Fault) {
            return try MUID(digest: text)
        } catch {
            switch error {
            case .emptyDevice, .zeroDevice: return nil
            case .malformedDevice, .malformedDigest: throw Refusal(reason: field.malformed)
            }
        }
    }

    private static func muid(
        of message: Flotilla_Activation_V1_Activation,
        _ appType: AppType
    ) throws(Refusal) -> MUID {
        do throws(MUID.Fault) {
            return message.muid.isEmpty
                ? try MUID(deviceID: message.deviceID, of: appType)
                : try MUID(digest: message.muid)
        } catch {
            throw Refusal(reason: self.reason(of: error))
        }
    }

    private static func reason(of fault: MUID.Fault) -> Reason {
        switch fault {
        case .emptyDevice: Reason("device_id.empty", "The device has no id: it cannot be reported.")
        case .zeroDevice: Reason("device_id.zero", "The device's id is all zeros: tracking is denied.")
        case .malformedDevice: PhoneField.deviceID.malformed
        case .malformedDigest: PhoneField.muid.malformed
        }
    }

    private static func invalid(_ code: String, _ message: String) -> Fault {
        .record(.invalid(code, message))
    }
}
