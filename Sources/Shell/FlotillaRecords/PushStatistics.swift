package import WireMessages

/// The statistics of one message, from the compacted topic `push-arrival.stats`. Take a snapshot only
/// if its version is not below the one that you have.
public struct PushStatistics: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "push-arrival.stats"

    package var message: Flotilla_Pusharrival_V1_PushStatistics

    package init(_ message: Flotilla_Pusharrival_V1_PushStatistics) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Pusharrival_V1_PushStatistics() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded()
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// The push service.
    public var provider: String {
        get { self.message.provider }
        set { self.message.provider = newValue }
    }

    /// The app's bundle id.
    public var appBundle: String {
        get { self.message.appBundle }
        set { self.message.appBundle = newValue }
    }

    /// The message; `unknown` gathers the events of a day that name none, `all` those of a segment.
    public var messageID: String {
        get { self.message.messageID }
        set { self.message.messageID = newValue }
    }

    /// The campaign.
    public var campaignID: String {
        get { self.message.campaignID }
        set { self.message.campaignID = newValue }
    }

    /// `cohort` for a message, `day` for the events of a day that name none, `segment` for the pushes that were sent to a
    /// segment of devices on a day. Do not add up different windows.
    public var window: String {
        get { self.message.window }
        set { self.message.window = newValue }
    }

    /// The day as `YYYY-MM-DD`, with the windows `day` and `segment`.
    public var day: String {
        get { self.message.day }
        set { self.message.day = newValue }
    }

    /// With the window `segment`: `app_version`, `os_version`, `device_model` or `country`.
    public var segmentBy: String {
        get { self.message.segmentBy }
        set { self.message.segmentBy = newValue }
    }

    /// With the window `segment`: its name; `other` for those that are not counted apart.
    public var segment: String {
        get { self.message.segment }
        set { self.message.segment = newValue }
    }

    /// With the window `segment`: the arrivals that were reported within an hour of the sending.
    public var early: Int64 {
        get { self.message.early }
        set { self.message.early = newValue }
    }

    /// The number of the snapshot, which grows with every change.
    public var version: Int64 {
        get { self.message.version }
        set { self.message.version = newValue }
    }

    /// Whether nothing but `lateDropped` can change any more.
    public var complete: Bool {
        get { self.message.complete }
        set { self.message.complete = newValue }
    }

    /// The devices to which the push was sent.
    public var sent: Int64 {
        get { self.message.sent }
        set { self.message.sent = newValue }
    }

    /// The devices for which the provider accepted the push.
    public var accepted: Int64 {
        get { self.message.accepted }
        set { self.message.accepted = newValue }
    }

    /// The devices for which the provider rejected the push.
    public var rejected: Int64 {
        get { self.message.rejected }
        set { self.message.rejected = newValue }
    }

    /// The number of rejections for each reason of the provider.
    public var rejectedReasons: [String: Int64] {
        get { self.message.rejectedReasons }
        set { self.message.rejectedReasons = newValue }
    }

    /// The accepted devices on which a service extension may run.
    public var eligible: Int64 {
        get { self.message.eligible }
        set { self.message.eligible = newValue }
    }

    /// The devices on which the push arrived.
    public var arrived: Int64 {
        get { self.message.arrived }
        set { self.message.arrived = newValue }
    }

    /// The devices that showed the push.
    public var shown: Int64 {
        get { self.message.shown }
        set { self.message.shown = newValue }
    }

    /// The devices on which the push was opened.
    public var opened: Int64 {
        get { self.message.opened }
        set { self.message.opened = newValue }
    }

    /// The devices on which the push was dismissed.
    public var dismissed: Int64 {
        get { self.message.dismissed }
        set { self.message.dismissed = newValue }
    }

    /// The devices that showed the picture or film of the push.
    public var attachmentsShown: Int64 {
        get { self.message.attachmentsShown }
        set { self.message.attachmentsShown = newValue }
    }

    /// The devices whose user did what the push was for.
    public var converted: Int64 {
        get { self.message.converted }
        set { self.message.converted = newValue }
    }

    /// The value of all conversions by currency, in millionths.
    public var conversionValueMicros: [String: Int64] {
        get { self.message.conversionValueMicros }
        set { self.message.conversionValueMicros = newValue }
    }

    /// The rejected devices that the app is no more on, by the provider's reason.
    public var unregistered: Int64 {
        get { self.message.unregistered }
        set { self.message.unregistered = newValue }
    }

    /// Arrived by accepted; nil if the denominator is 0, as in every rate.
    public var arrivalRate: Double? {
        get { self.message.hasArrivalRate ? self.message.arrivalRate : nil }
        set {
            if let newValue { self.message.arrivalRate = newValue } else { self.message.clearArrivalRate() }
        }
    }

    /// Arrived by eligible.
    public var eligibleArrivalRate: Double? {
        get { self.message.hasEligibleArrivalRate ? self.message.eligibleArrivalRate : nil }
        set {
            if let newValue {
                self.message.eligibleArrivalRate = newValue
            } else {
                self.message.clearEligibleArrivalRate()
            }
        }
    }

    /// Shown by arrived.
    public var shownRate: Double? {
        get { self.message.hasShownRate ? self.message.shownRate : nil }
        set {
            if let newValue { self.message.shownRate = newValue } else { self.message.clearShownRate() }
        }
    }

    /// Opened by arrived.
    public var openRate: Double? {
        get { self.message.hasOpenRate ? self.message.openRate : nil }
        set {
            if let newValue { self.message.openRate = newValue } else { self.message.clearOpenRate() }
        }
    }

    /// Opened by accepted.
    public var clickThroughRate: Double? {
        get { self.message.hasCtr ? self.message.ctr : nil }
        set {
            if let newValue { self.message.ctr = newValue } else { self.message.clearCtr() }
        }
    }

    /// Attachments shown by shown.
    public var attachmentRate: Double? {
        get { self.message.hasAttachmentRate ? self.message.attachmentRate : nil }
        set {
            if let newValue {
                self.message.attachmentRate = newValue
            } else {
                self.message.clearAttachmentRate()
            }
        }
    }

    /// Converted by opened.
    public var conversionRate: Double? {
        get { self.message.hasConversionRate ? self.message.conversionRate : nil }
        set {
            if let newValue {
                self.message.conversionRate = newValue
            } else {
                self.message.clearConversionRate()
            }
        }
    }

    /// The upper edges of the histogram of lags, in milliseconds.
    public var lagEdgesMS: [Int64] {
        get { self.message.lagEdgesMs }
        set { self.message.lagEdgesMs = newValue }
    }

    /// The arrivals up to each edge, and one more number for the rest.
    public var lagHistogram: [Int64] {
        get { self.message.lagHist }
        set { self.message.lagHist = newValue }
    }

    /// The median lag in milliseconds, exact to 2 %.
    public var lagP50MS: Int64? {
        get { self.message.hasLagP50Ms ? self.message.lagP50Ms : nil }
        set {
            if let newValue { self.message.lagP50Ms = newValue } else { self.message.clearLagP50Ms() }
        }
    }

    /// The ninth decile of the lags in milliseconds, exact to 2 %.
    public var lagP90MS: Int64? {
        get { self.message.hasLagP90Ms ? self.message.lagP90Ms : nil }
        set {
            if let newValue { self.message.lagP90Ms = newValue } else { self.message.clearLagP90Ms() }
        }
    }

    /// The indexes of the sketch of lags: index i holds lags up to 1.04 to the power of i milliseconds.
    public var lagSketchIndex: [Int32] {
        get { self.message.lagSketchIndex }
        set { self.message.lagSketchIndex = newValue }
    }

    /// The number of arrivals for each index of the sketch.
    public var lagSketchCount: [Int64] {
        get { self.message.lagSketchCount }
        set { self.message.lagSketchCount = newValue }
    }

    /// The hours of the clock (UTC) that have arrivals, as whole hours since 1970: the latest 336.
    public var arrivalHour: [Int32] {
        get { self.message.arrivalHour }
        set { self.message.arrivalHour = newValue }
    }

    /// The number of arrivals for each of the hours.
    public var arrivalHourCount: [Int64] {
        get { self.message.arrivalHourCount }
        set { self.message.arrivalHourCount = newValue }
    }

    /// The arrivals whose time of sending is unknown.
    public var lagUnknown: Int64 {
        get { self.message.lagUnknown }
        set { self.message.lagUnknown = newValue }
    }

    /// The events that a device had reported before.
    public var duplicates: Int64 {
        get { self.message.duplicates }
        set { self.message.duplicates = newValue }
    }

    /// The events that came after the allowed lateness.
    public var lateDropped: Int64 {
        get { self.message.lateDropped }
        set { self.message.lateDropped = newValue }
    }

    /// The arrivals of pushes for which no service extension runs.
    public var ineligible: Int64 {
        get { self.message.ineligible }
        set { self.message.ineligible = newValue }
    }

    /// The events that named no device.
    public var unknownDevice: Int64 {
        get { self.message.unknownDevice }
        set { self.message.unknownDevice = newValue }
    }

    /// The arrivals whose time by the device could not be used as it was.
    public var skewAdjusted: Int64 {
        get { self.message.skewAdjusted }
        set { self.message.skewAdjusted = newValue }
    }

    /// The first arrival, in milliseconds since 1970.
    public var firstArrivalMS: Int64? {
        get { self.message.hasFirstArrivalMs ? self.message.firstArrivalMs : nil }
        set {
            if let newValue {
                self.message.firstArrivalMs = newValue
            } else {
                self.message.clearFirstArrivalMs()
            }
        }
    }

    /// The last arrival, in milliseconds since 1970.
    public var lastArrivalMS: Int64? {
        get { self.message.hasLastArrivalMs ? self.message.lastArrivalMs : nil }
        set {
            if let newValue {
                self.message.lastArrivalMs = newValue
            } else {
                self.message.clearLastArrivalMs()
            }
        }
    }

    /// The first sending, in milliseconds since 1970.
    public var sentMS: Int64? {
        get { self.message.hasSentMs ? self.message.sentMs : nil }
        set {
            if let newValue { self.message.sentMs = newValue } else { self.message.clearSentMs() }
        }
    }

    /// The time of the snapshot, in milliseconds since 1970.
    public var updatedMS: Int64 {
        get { self.message.updatedMs }
        set { self.message.updatedMs = newValue }
    }
}
