package import Records
import WireMessages

/// One conversion of one app on one device, checked by every rule that needs neither clock nor configuration.
package struct Activation: Hashable, Sendable {
    package var account: GDTAccount
    package var appType: AppType
    package var conversionType: ConversionType
    package var muid: MUID
    /// Whole seconds since 1970.
    package var convertedAt: Int64
    package var clientIP: String?
    package var clickID: String?
    /// In fen.
    package var value: Int64?

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

    /// Why a record is not an activation to report.
    package enum Fault: Error, Hashable, Sendable {
        /// The publisher wrote the record wrong: a dead letter.
        case record(RecordFault)
        /// There is nothing to report, or a phone chose what cannot be reported: a final no.
        case refused(Reason, ActivationAnswer)
    }

    /// Reads a record of the topic `activation`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        let (message, illegible): (Flotilla_Activation_V1_Activation, PhoneField?)
        do throws(RecordFault) {
            (message, illegible) = try Self.message(in: try RecordPayload(of: record))
        } catch {
            throw .record(error)
        }
        try self.init(message, illegible: illegible)
    }

    /// - Returns: the message; and a field that is missing in it, where it is readable but for what a phone chose.
    private static func message(
        in payload: RecordPayload
    ) throws(RecordFault) -> (Flotilla_Activation_V1_Activation, PhoneField?) {
        do throws(RecordFault) {
            return (try payload.decode(as: Flotilla_Activation_V1_Activation.self), nil)
        } catch {
            guard let legible = payload.withoutIllegiblePhoneFields() else { throw error }
            return (try legible.payload.decode(as: Flotilla_Activation_V1_Activation.self), legible.first)
        }
    }
}
