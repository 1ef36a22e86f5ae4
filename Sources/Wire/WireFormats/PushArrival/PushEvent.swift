package import Records

/// One thing that happened to one push on one device, checked and normalised.
///
/// Events come from a public endpoint, so everybody who has the app can send anything.
package struct PushEvent: Hashable, Sendable {
    /// The kind of event; the raw value is the word in a record.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The push was handed to a push service.
        case sent
        /// The app's service extension received the push on the device.
        case arrived
        /// The device showed the push.
        case shown
        /// The device showed the picture or film that came with the push.
        case attachmentShown = "attachment_shown"
        /// The user opened the push.
        case opened
        /// The user dismissed the push.
        case dismissed
        /// The user did what the push was for.
        case converted
    }

    /// The answer of the push service to a push that was sent.
    package enum Acceptance: Hashable, Sendable {
        /// The push service accepted the push.
        case accepted
        /// The push service refused the push, with its own word for the reason, at most 64 bytes;
        /// `unspecified` if it gave none.
        case rejected(reason: String)
    }

    /// The kind of event.
    package var kind: Kind
    /// The push's provider; never empty, `apns` if neither the event nor its payload tells.
    package var provider: String
    /// The bundle id as the event states it; empty if unknown. An extension's own id has one component more
    /// than its app's (`PushApps`).
    package var appBundle: String
    /// The message id, unique within a provider and an app; empty if unknown. At most 256 bytes, as the other
    /// ids.
    package var messageID: String
    /// The campaign id; empty if unknown.
    package var campaignID: String
    /// The device; never empty.
    package var deviceID: String
    /// The id that the device gave this event, at most 64 bytes; empty if it gave none.
    package var eventID: String
    /// The environment, `production` or `development`. Pushes to builds from Xcode are `development`, and
    /// measure nothing.
    package var environment: String
    /// The push service's answer, for events of the kind `sent`; all other events are `accepted`.
    package var acceptance: Acceptance
    /// The time at which the push was sent, in milliseconds since 1970 by the server's clock, as the push
    /// itself carries it.
    package var sentMS: Int64?
    /// The time of the event, in milliseconds since 1970 by the device's clock; any number at all.
    package var deviceMS: Int64?
    /// The time of the report, in milliseconds since 1970 by the device's clock; any number at all.
    package var uploadMS: Int64?
    /// The time at which our edge received the event, in milliseconds since 1970: the stated time or the
    /// record's timestamp if it is after 2014 and at most one day ahead, else the worker's clock.
    package var serverMS: Int64
    /// Whether a service extension runs for such a push; nil if nothing is known.
    package var isEligible: Bool?
    /// The SHA-256 of the payload, 64 lower-case hexadecimal digits; empty if neither a payload nor its
    /// digest was sent.
    package var payloadSHA256: String
    /// The segments that the device belongs to, as far as the event names them.
    package var segments: PushSegments
    /// The value of a conversion; nil if the event names none.
    package var value: ConversionValue?

    package init(
        _ kind: Kind,
        provider: String = "apns",
        appBundle: String = "",
        messageID: String = "",
        campaignID: String = "",
        deviceID: String,
        eventID: String = "",
        environment: String = "production",
        acceptance: Acceptance = .accepted,
        sentMS: Int64? = nil,
        deviceMS: Int64? = nil,
        uploadMS: Int64? = nil,
        serverMS: Int64,
        isEligible: Bool? = nil,
        payloadSHA256: String = "",
        segments: PushSegments = PushSegments(),
        value: ConversionValue? = nil
    ) {
        self.kind = kind
        self.provider = provider
        self.appBundle = appBundle
        self.messageID = messageID
        self.campaignID = campaignID
        self.deviceID = deviceID
        self.eventID = eventID
        self.environment = environment
        self.acceptance = acceptance
        self.sentMS = sentMS
        self.deviceMS = deviceMS
        self.uploadMS = uploadMS
        self.serverMS = serverMS
        self.isEligible = isEligible
        self.payloadSHA256 = payloadSHA256
        self.segments = segments
        self.value = value
    }

    /// The reason code of an event that names no device. The event is counted in the statistics of its
    /// message as such, and nowhere else.
    package static let missingDevice = "device_id.missing"

    /// The reason why a record is not an event to count.
    package enum Fault: Error, Hashable, Sendable {
        /// The value cannot be read. The record becomes a dead letter without its value, because the value
        /// may hold the notification's text.
        case record(RecordFault)
        /// The event can be read but cannot be counted. The record ends in a final refusal and never as a
        /// dead letter.
        case refused(Reason, PushEventHeader)
    }

    /// Reads a record of the topic `push-arrival`, in any of the forms that a value may have.
    ///
    /// - Parameters:
    ///   - now: wall-clock milliseconds since 1970, for records without any usable time.
    ///   - paths: where other providers keep their ids in a payload.
    package init(
        decoding record: borrowing InboundRecord,
        now: Int64,
        paths: PushPayloadPaths = PushPayloadPaths()
    ) throws(Fault) {
        do throws(Fault) {
            try self.init(reading: record, now: now, paths: paths)
        } catch {
            switch error {
            case .record(let fault): throw .record(fault.asking(about: record, in: .pushEvent))
            case .refused(let reason, let header):
                throw .refused(reason.asking(about: record, in: .pushEvent), header)
            }
        }
    }

    private init(
        reading record: borrowing InboundRecord,
        now: Int64,
        paths: PushPayloadPaths
    ) throws(Fault) {
        let fields: PushEventFields
        do throws(RecordFault) {
            fields = try PushEventFields(RecordPayload(of: record))
        } catch {
            throw Self.fault(error, in: record, now: now)
        }
        try self.init(fields, receivedAt: record.timestamp, now: now, paths: paths)
    }
}

/// The readable part of an event that was refused. A field that is missing or not acceptable is empty.
package struct PushEventHeader: Hashable, Sendable {
    /// The kind; nil if it is missing or unknown.
    package var kind: PushEvent.Kind?
    /// The provider; `apns` if neither the event nor its payload tells, empty if the record could not be
    /// decoded.
    package var provider = ""
    /// The app's bundle id.
    package var appBundle = ""
    /// The message id, from the event or its payload.
    package var messageID = ""
    /// The campaign id, from the event or its payload.
    package var campaignID = ""
    /// The device, from the event or its payload.
    package var deviceID = ""
    /// The id that the device gave this event.
    package var eventID = ""
    /// The environment: `production` or `development`.
    package var environment = ""
    /// The time at which our edge received the event, as in `PushEvent`.
    package var serverMS: Int64 = 0

    package init() {}

    /// Takes the fields of an event that could be read but is refused for another reason.
    package init(of event: PushEvent) {
        self.kind = event.kind
        self.provider = event.provider
        self.appBundle = event.appBundle
        self.messageID = event.messageID
        self.campaignID = event.campaignID
        self.deviceID = event.deviceID
        self.eventID = event.eventID
        self.environment = event.environment
        self.serverMS = event.serverMS
    }
}
