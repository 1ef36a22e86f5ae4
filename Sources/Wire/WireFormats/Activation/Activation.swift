package import Records
import WireMessages

/// One conversion of one app on one device. It has passed every rule that needs neither a clock nor the
/// configuration.
package struct Activation: Hashable, Sendable {
    /// The app and the advertiser whose keys sign the report.
    package var account: GDTAccount
    /// The app's platform, which decides the form of the device id.
    package var appType: AppType
    /// The type of the conversion; only a payment has a value.
    package var conversionType: ConversionType
    /// The device, as GDT identifies it. If the record names the device by other ids only, the digest of the first
    /// of them.
    package var muid: MUID
    /// Whether `muid` is that of an IDFA, an IMEI or a MEID.
    package var hasMUID = true
    /// Other ids of the device.
    package var ids = DeviceIDs()
    /// The time of the conversion, in whole seconds since 1970.
    package var convertedAt: Int64
    /// Whether `convertedAt` is the record's own timestamp, because the record names no time.
    package var isTimeAssumed = false
    /// The device's public address, IPv4 or IPv6; nil if unknown.
    package var clientIP: String?
    /// The id of the click that led to the conversion: 1 to 128 visible ASCII characters.
    package var clickID: String?
    /// The amount that was paid, in fen; only for a payment.
    package var value: Int64?
    /// The `callback` of the click, unchecked; nil if the record carries none.
    package var callback: String?
    /// The `reportName` of the record, if it has a callback: a report takes its place if that is refused. Nil otherwise.
    package var reportName: String?
    /// The device's user agent, at most `userAgentBytesLimit` long.
    package var userAgent: String?

    /// The most bytes of a user agent that is reported.
    package static let userAgentBytesLimit = 1_024

    package init(
        account: GDTAccount,
        appType: AppType,
        conversionType: ConversionType,
        muid: MUID,
        convertedAt: Int64,
        clientIP: String? = nil,
        clickID: String? = nil,
        value: Int64? = nil
    ) {
        self.account = account
        self.appType = appType
        self.conversionType = conversionType
        self.muid = muid
        self.convertedAt = convertedAt
        self.clientIP = clientIP
        self.clickID = clickID
        self.value = value
    }

    /// The reason why a record is not an activation to report.
    package enum Fault: Error, Hashable, Sendable {
        /// The publisher made a mistake in the record, which becomes a dead letter.
        case record(RecordFault)
        /// The conversion cannot be reported, because the device has no id or a phone chose a wrong value.
        /// The record ends in a final refusal. The answer is nil if the record is too large to be read.
        case refused(Reason, ActivationAnswer?)
    }

    /// Reads a record of the topic `activation`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        do throws(Fault) {
            try self.init(reading: record)
        } catch {
            switch error {
            case .record(let fault): throw .record(fault.asking(about: record, in: .activation))
            case .refused(let reason, let answer):
                throw .refused(reason.asking(about: record, in: .activation), answer)
            }
        }
    }

    private init(reading record: borrowing InboundRecord) throws(Fault) {
        let (fields, illegible): (ActivationFields, [PhoneField])
        do throws(RecordFault) {
            (fields, illegible) = try Self.fields(in: try RecordPayload(of: record))
        } catch {
            // The texts of a phone, such as its user agent, can make a record as large as that.
            if case .tooLarge(let reason) = error { throw .refused(reason, nil) }
            throw .record(error)
        }
        try self.init(fields, illegible: illegible, recordTimestamp: record.timestamp)
    }

    /// Decodes the payload.
    ///
    /// - Returns: the fields, and the phone's fields that had to be left out because they could not be decoded.
    private static func fields(
        in payload: RecordPayload
    ) throws(RecordFault) -> (ActivationFields, [PhoneField]) {
        typealias Message = Flotilla_Activation_V1_Activation
        if payload.format == .json, let usual = UsualActivation(payload.bytes, from: payload.start) {
            return (usual.fields, [])
        }
        do throws(RecordFault) {
            return (ActivationFields(try payload.decode(as: Message.self)), [])
        } catch {
            guard let legible = LegiblePayload(payload, without: PhoneField.members, as: Message.self)
            else { throw error }
            let message = try legible.payload.decode(as: Message.self)
            return (ActivationFields(message), legible.illegible.compactMap { PhoneField(rawValue: $0.name) })
        }
    }
}
