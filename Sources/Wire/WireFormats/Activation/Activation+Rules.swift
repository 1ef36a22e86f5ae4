extension Activation {
    /// The accepted times in seconds: from 2001-09-09, when they first had ten digits, to the end of 9999.
    package static let convertedAtRange: ClosedRange<Int64> = 1_000_000_000...253_402_300_799
    private static let clickIDLengthLimit = 128

    /// Checks the fields of a record. The publisher's fields are checked first: a fault in one of them makes a
    /// dead letter, and a fault in a phone's field must not hide it. Where tracking is denied, no mending leads to a
    /// report, so only the account is checked before that.
    ///
    /// - Parameters:
    ///   - illegible: the phone's fields that the record has but that are not among the others, because they could
    ///     not be decoded.
    ///   - recordTimestamp: the time of the conversion, in milliseconds since 1970, if the record names none;
    ///     nil if the record carries none.
    init(
        _ fields: ActivationFields,
        illegible: [PhoneField] = [],
        recordTimestamp: Int64? = nil
    ) throws(Fault) {
        let assumed = Self.assumedTime(of: fields, illegible, recordTimestamp)
        guard fields.appID != 0 else {
            throw Self.invalid("app_id.missing", "The field `appId` is missing.")
        }
        guard fields.advertiserID != 0 else {
            throw Self.invalid("advertiser_id.missing", "The field `advertiserId` is missing.")
        }
        if fields.isTrackingAuthorized == false {
            throw Self.refused(Self.trackingDenied, fields)
        }
        guard let appType = AppType(inAnyCase: fields.appType) else {
            throw Self.unknown(
                "app_type.unknown",
                "The field `appType` is no app type that GDT knows",
                word: fields.appType,
                among: AppType.allCases.map(\.rawValue)
            )
        }
        guard let conversionType = ConversionType(exactly: fields.conversionType) else {
            throw Self.unknown(
                "conversion_type.unknown",
                "The field `conversionType` is no type of conversion that GDT knows",
                word: fields.conversionType,
                among: ConversionType.allCases.map(\.rawValue)
            )
        }
        guard fields.deviceID.isEmpty || fields.muid.isEmpty else {
            throw Self.invalid("device_id.ambiguous", "Both a device id and a muid are given.")
        }
        guard fields.convertedAt != nil || illegible.contains(.convertedAt) || assumed != nil else {
            throw Self.invalid(
                "converted_at.missing",
                "Neither the field `convertedAt` nor the record's timestamp is a time."
            )
        }
        guard fields.value == nil || conversionType == .payment else {
            throw Self.invalid("value.not_a_payment", "Only a payment (MOBILEAPP_COST) has a value.")
        }
        self.account = GDTAccount(appID: fields.appID, advertiserID: fields.advertiserID)
        self.appType = appType
        self.conversionType = conversionType
        do throws(Refusal) {
            if let field = illegible.first { throw Refusal(reason: field.malformed) }
            if let assumed {
                self.convertedAt = assumed
            } else {
                self.convertedAt = try Self.convertedAt(of: fields)
            }
            self.isTimeAssumed = assumed != nil
            self.clientIP = try Self.clientIP(of: fields)
            self.clickID = try Self.clickID(of: fields)
            self.value = try Self.value(of: fields)
            self.ids = try Self.ids(of: fields)
            let muid = try Self.muid(of: fields, appType, orElse: self.ids.first)
            self.hasMUID = muid.isOwn
            self.muid = muid.id
            self.callback = fields.callback.isEmpty ? nil : fields.callback
            let isReported = (1...Self.userAgentBytesLimit).contains(fields.userAgent.utf8.count)
            self.userAgent = isReported ? fields.userAgent : nil
        } catch {
            throw Self.refused(error.reason, fields)
        }
    }

    private static func refused(_ reason: Reason, _ fields: ActivationFields) -> Fault {
        let account = GDTAccount(appID: fields.appID, advertiserID: fields.advertiserID)
        return .refused(reason, ActivationAnswer(account: account, conversionType: fields.conversionType))
    }

    private static let trackingDenied = Reason(
        "tracking.denied",
        "The user has not allowed tracking: nothing is reported."
    )

    /// The seconds of the record's own timestamp, if the fields name no time; nil if it does, or if the
    /// timestamp is no time of a conversion.
    private static func assumedTime(
        of fields: ActivationFields,
        _ illegible: [PhoneField],
        _ timestamp: Int64?
    ) -> Int64? {
        guard fields.convertedAt == nil, !illegible.contains(.convertedAt), let timestamp else { return nil }
        let seconds = timestamp / 1_000
        return self.convertedAtRange.contains(seconds) ? seconds : nil
    }

    /// A final refusal because of a field that a phone chose.
    private struct Refusal: Error {
        var reason: Reason
    }

    private static func convertedAt(of fields: ActivationFields) throws(Refusal) -> Int64 {
        guard let convertedAt = fields.convertedAt, self.convertedAtRange.contains(convertedAt) else {
            throw Refusal(reason: PhoneField.convertedAt.malformed)
        }
        return convertedAt
    }

    private static func clientIP(of fields: ActivationFields) throws(Refusal) -> String? {
        guard !fields.clientIP.isEmpty else { return nil }
        guard IPAddress.isValid(fields.clientIP) else {
            throw Refusal(reason: PhoneField.clientIP.malformed)
        }
        return fields.clientIP
    }

    private static func clickID(of fields: ActivationFields) throws(Refusal) -> String? {
        guard !fields.clickID.isEmpty else { return nil }
        let bytes = fields.clickID.utf8
        guard bytes.count <= self.clickIDLengthLimit, bytes.allSatisfy(\.isVisible) else {
            throw Refusal(reason: PhoneField.clickID.malformed)
        }
        return fields.clickID
    }

    private static func value(of fields: ActivationFields) throws(Refusal) -> Int64? {
        guard let value = fields.value else { return nil }
        guard value >= 0 else {
            throw Refusal(reason: Reason("value.negative", "The value of a payment is negative."))
        }
        return value
    }

    private static func ids(of fields: ActivationFields) throws(Refusal) -> DeviceIDs {
        var ids = DeviceIDs()
        ids.hashOAID = try self.digest(fields.hashOAID, .hashOAID)
        ids.hashAndroidID = try self.digest(fields.hashAndroidID, .hashAndroidID)
        guard !fields.caid.isEmpty else { return ids }
        guard let caid = DeviceIDs.CAID(fields.caid, version: fields.caidVersion) else {
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

    /// Returns the device's id, or the first of its other ids if it has none.
    ///
    /// Android tells apps no IMEI any more, and what some SDKs give in its place stands for none. On iOS, all zeros say that
    /// tracking is denied.
    private static func muid(
        of fields: ActivationFields,
        _ appType: AppType,
        orElse other: MUID?
    ) throws(Refusal) -> (id: MUID, isOwn: Bool) {
        do throws(MUID.Fault) {
            let muid =
                fields.muid.isEmpty
                ? try MUID(deviceID: fields.deviceID, of: appType) : try MUID(digest: fields.muid)
            return (muid, true)
        } catch {
            let isAbsent = fields.deviceID.isEmpty && fields.muid.isEmpty
            let standsForNone = appType != .ios && [.emptyDevice, .zeroDevice].contains(error)
            guard isAbsent || standsForNone, let other else { throw Refusal(reason: self.reason(of: error)) }
            return (other, false)
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

    /// Returns the fault of a field whose word GDT does not know. It tells a word that could be a name, and the known
    /// word that is near.
    private static func unknown(
        _ code: String,
        _ sentence: String,
        word: String,
        among known: [String]
    ) -> Fault {
        guard UnknownFields.isTold(Array(word.utf8)[...]) else { return self.invalid(code, sentence + ".") }
        let near = known.first { NearMiss.distance(from: word, to: $0) != nil }
        let question = near.map { " Did you mean `\($0)`?" } ?? ""
        return self.invalid(code, "\(sentence): `\(word)`.\(question)")
    }

    private static func invalid(_ code: String, _ message: String) -> Fault {
        .record(.invalid(code, message))
    }
}
