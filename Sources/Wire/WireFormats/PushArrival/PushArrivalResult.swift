/// The value of a record of `push-arrival.result`.
///
/// One is written for every event, so both formats are written by hand. Tests hold them to the documents and
/// bytes of the general encoder.
package enum PushArrivalResult {
    /// The event that a result describes.
    package enum Subject: Hashable, Sendable {
        /// An event that was understood: how it was counted, and its time.
        case event(PushEvent, PushStanding, PushTime)
        /// An event that was refused and is not counted.
        case refused(PushEventHeader)
    }

    /// Returns the encoded result.
    ///
    /// - Parameter subject: nil if nothing of the record could be read.
    package static func encode(
        _ outcome: Outcome,
        _ subject: Subject?,
        as format: ValueFormat
    ) -> [UInt8] {
        switch format {
        case .json: self.json(outcome, subject)
        case .protobuf: self.protobuf(outcome, subject)
        }
    }

    // MARK: JSON

    private static func json(_ outcome: Outcome, _ subject: Subject?) -> [UInt8] {
        var json = JSONWriter(reserving: 1_024)
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            switch subject {
            case .event(let event, let standing, let time): self.write(event, standing, at: time, to: &json)
            case .refused(let header): self.write(header, to: &json)
            case nil: break
            }
        }
        return json.text
    }

    private static func write(
        _ event: PushEvent,
        _ standing: PushStanding,
        at time: PushTime,
        to json: inout JSONWriter
    ) {
        json.string("result", standing.rawValue)
        json.string("type", event.kind.rawValue)
        json.string("provider", event.provider)
        json.string("messageId", event.messageID)
        json.string("campaignId", event.campaignID)
        json.string("appBundle", event.appBundle)
        json.string("deviceId", event.deviceID)
        json.string("eventId", event.eventID)
        json.string("environment", event.environment)
        json.string("status", event.status)
        json.string("reason", event.rejection)
        json.int64("correctedMs", time.correctedMS)
        if let sent = time.sentMS { json.int64("sentMs", sent) }
        if let lag = time.lagMS { json.int64("lagMs", lag) }
        if time.isAdjusted { json.bool("skewAdjusted", true) }
        json.string("payloadSha256", event.payloadSHA256)
    }

    private static func write(_ header: PushEventHeader, to json: inout JSONWriter) {
        json.string("type", header.kind?.rawValue ?? "")
        json.string("provider", header.provider)
        json.string("messageId", header.messageID)
        json.string("campaignId", header.campaignID)
        json.string("appBundle", header.appBundle)
        json.string("deviceId", header.deviceID)
        json.string("eventId", header.eventID)
        json.string("environment", header.environment)
    }

    // MARK: Protobuf

    private static func protobuf(_ outcome: Outcome, _ subject: Subject?) -> [UInt8] {
        var message = ProtobufWriter(reserving: 640)
        message.message(1) { outcome.write(to: &$0) }
        switch subject {
        case .event(let event, let standing, let time): self.write(event, standing, at: time, to: &message)
        case .refused(let header): self.write(header, to: &message)
        case nil: break
        }
        return message.bytes
    }

    private static func write(
        _ event: PushEvent,
        _ standing: PushStanding,
        at time: PushTime,
        to message: inout ProtobufWriter
    ) {
        message.string(2, standing.rawValue)
        message.string(3, event.kind.rawValue)
        message.string(4, event.provider)
        message.string(5, event.messageID)
        message.string(6, event.campaignID)
        message.string(7, event.appBundle)
        message.string(8, event.deviceID)
        message.string(9, event.eventID)
        message.string(10, event.environment)
        message.string(11, event.status)
        message.string(12, event.rejection)
        message.optionalInt64(13, time.correctedMS)
        message.optionalInt64(14, time.sentMS)
        message.optionalInt64(15, time.lagMS)
        message.bool(16, time.isAdjusted)
        message.string(17, event.payloadSHA256)
    }

    private static func write(_ header: PushEventHeader, to message: inout ProtobufWriter) {
        message.string(3, header.kind?.rawValue ?? "")
        message.string(4, header.provider)
        message.string(5, header.messageID)
        message.string(6, header.campaignID)
        message.string(7, header.appBundle)
        message.string(8, header.deviceID)
        message.string(9, header.eventID)
        message.string(10, header.environment)
    }
}

extension PushEvent {
    /// The word for the push service's answer; empty unless the event is `sent`.
    fileprivate var status: String {
        guard self.kind == .sent else { return "" }
        return self.acceptance == .accepted ? "accepted" : "rejected"
    }

    fileprivate var rejection: String {
        guard self.kind == .sent, case .rejected(let reason) = self.acceptance else { return "" }
        return reason
    }
}
