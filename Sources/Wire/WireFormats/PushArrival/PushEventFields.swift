import SwiftProtobuf
import WireMessages

/// The fields of a record of `push-arrival` as they stand, before any rule is applied. A missing text is
/// empty.
struct PushEventFields: Hashable, Sendable {
    var type = ""
    var provider = ""
    var messageID = ""
    var campaignID = ""
    var appBundle = ""
    var deviceID = ""
    var eventID = ""
    var environment = ""
    var status = ""
    var reason = ""
    var sentMS: Int64?
    var deviceMS: Int64?
    var uploadMS: Int64?
    var serverMS: Int64?
    var isEligible: Bool?
    /// The payload's JSON text, or whatever bytes stand in its place; empty if there is none.
    var payload: [UInt8] = []
    var payloadSHA256 = ""
    var appVersion = ""
    var osVersion = ""
    var deviceModel = ""
    var country = ""
    var valueMicros: Int64?
    var currency = ""

    init() {}

    /// Reads the fields of a value.
    ///
    /// - Throws: `RecordFault` if the value cannot be decoded.
    init(_ record: RecordPayload) throws(RecordFault) {
        switch record.format {
        case .json: try self.init(json: record)
        case .protobuf:
            if let fields = PushEventFields(protobuf: record.bytes, from: record.start) {
                self = fields
            } else {
                self.init(try Self.message(in: record))
            }
        }
    }

    /// Decodes a protobuf message. A text that is not UTF-8 makes a fault of that text (`field.not_utf8`),
    /// which a device may have chosen, and not of the whole message.
    private static func message(
        in record: RecordPayload
    ) throws(RecordFault) -> Flotilla_Pusharrival_V1_PushEvent {
        do throws(RecordFault) {
            return try record.decode(as: Flotilla_Pusharrival_V1_PushEvent.self)
        } catch {
            do {
                _ = try Flotilla_Pusharrival_V1_PushEvent(
                    serializedBytes: Array(record.bytes[record.start...])
                )
            } catch BinaryDecodingError.invalidUTF8 {
                throw .invalid("field.not_utf8", "A text in the value is not UTF-8.")
            } catch {}
            throw error
        }
    }

    private init(json record: RecordPayload) throws(RecordFault) {
        guard let outline = JSONOutline(record.bytes, from: record.start) else {
            self.init(try record.decode(as: Flotilla_Pusharrival_V1_PushEvent.self))
            return
        }
        if let fields = PushEventFields(json: outline) {
            self = fields
            return
        }
        var rest = record
        let cut = Self.withoutPayloads(outline)
        // The frame or byte order mark before the message is kept, so `start` stays valid.
        if let cut { rest.bytes = cut.bytes }
        self.init(try rest.decode(as: Flotilla_Pusharrival_V1_PushEvent.self))
        if let payload = cut?.last { self.payload = Array(payload) }
    }

    init(_ message: Flotilla_Pusharrival_V1_PushEvent) {
        self.type = message.type
        self.provider = message.provider
        self.messageID = message.messageID
        self.campaignID = message.campaignID
        self.appBundle = message.appBundle
        self.deviceID = message.deviceID
        self.eventID = message.eventID
        self.environment = message.environment
        self.status = message.status
        self.reason = message.reason
        self.sentMS = message.hasSentMs ? message.sentMs : nil
        self.deviceMS = message.hasDeviceMs ? message.deviceMs : nil
        self.uploadMS = message.hasUploadMs ? message.uploadMs : nil
        self.serverMS = message.hasServerMs ? message.serverMs : nil
        self.isEligible = message.hasNseEligible ? message.nseEligible : nil
        self.payload = Array(message.payload.utf8)
        self.payloadSHA256 = message.payloadSha256
        self.appVersion = message.appVersion
        self.osVersion = message.osVersion
        self.deviceModel = message.deviceModel
        self.country = message.country
        self.valueMicros = message.hasValueMicros ? message.valueMicros : nil
        self.currency = message.currency
    }
}
