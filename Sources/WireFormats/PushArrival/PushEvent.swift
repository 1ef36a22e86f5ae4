package import Records

/// One thing that happened to one push on one device, checked and brought into one form.
///
/// It comes from a public endpoint: whoever has the app can send anything.
package struct PushEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A push service was given the push.
        case sent
        /// The service extension saw it.
        case arrived
        case shown
        case opened
        case dismissed
    }

    /// What the push service said.
    package enum Acceptance: Hashable, Sendable {
        case accepted
        /// With at most 64 bytes of the service's word for why; `unspecified` if it has none.
        case rejected(reason: String)
    }

    package var kind: Kind
    /// Never empty: `apns` where nothing tells.
    package var provider: String
    /// As the event says: an extension's own id has one component more than its app's (`PushApps`). Empty: unknown.
    package var appBundle: String
    /// Unique within a provider and an app. Empty: unknown.
    package var messageID: String
    package var campaignID: String
    /// Never empty.
    package var deviceID: String
    package var eventID: String
    /// `production` or `development`, the latter for builds from Xcode, whose pushes are no measure of anything.
    package var environment: String
    /// Of what was sent; everything else has been accepted.
    package var acceptance: Acceptance
    /// Milliseconds since 1970, by the server's clock, as the push itself carries it.
    package var sentMS: Int64?
    /// When it happened and when it was reported, by the device's clock: any number at all.
    package var deviceMS: Int64?
    package var uploadMS: Int64?
    /// When our edge received it, or what stands in for that: after 2014, and never far in the future.
    package var serverMS: Int64
    /// Whether a service extension runs for such a push. Nil: nothing is known.
    package var isEligible: Bool?
    /// 64 lower-case hexadecimal digits; empty where there was no payload.
    package var payloadSHA256: String

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
        payloadSHA256: String = ""
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
    }

    /// The code of an event that names no device: it is told in the statistics of its message, and counts as nothing else.
    package static let missingDevice = "device_id.missing"

    /// Why a record is not an event to count.
    package enum Fault: Error, Hashable, Sendable {
        /// The bytes cannot be read: a dead letter, without the value, because that may hold the notification's text.
        case record(RecordFault)
        /// It can be read and counts as nothing: a final no, and never a dead letter.
        case refused(Reason, PushEventHeader)
    }

    /// Reads a record of the topic `push-arrival`, in any of the forms that a value may have.
    ///
    /// - Parameter now: wall-clock milliseconds since 1970, for records that have no usable time at all.
    package init(
        decoding record: borrowing InboundRecord,
        now: Int64,
        paths: PushPayloadPaths = PushPayloadPaths()
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

/// What could be read of an event that was refused. What was missing or could not be taken is empty.
package struct PushEventHeader: Hashable, Sendable {
    package var kind: PushEvent.Kind?
    /// `apns` where nothing tells.
    package var provider = ""
    package var appBundle = ""
    package var messageID = ""
    package var campaignID = ""
    package var deviceID = ""
    package var eventID = ""
    package var environment = ""
    /// When our edge received it, or what stands in for that, as in `PushEvent`.
    package var serverMS: Int64 = 0

    package init() {}

    /// Of an event that could be read and is refused all the same.
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
