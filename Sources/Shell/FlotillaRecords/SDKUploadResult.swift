package import WireMessages

/// The outcome of an upload, or of one event of an upload that is too large or whose activation the upload itself keeps from
/// its report, from the topic `sdk-upload.result`. The outcome of an activation that goes on is an `ActivationResult`.
public struct SDKUploadResult: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "sdk-upload.result"

    package var message: Flotilla_Sdkupload_V1_SdkUploadResult

    package init(_ message: Flotilla_Sdkupload_V1_SdkUploadResult) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Sdkupload_V1_SdkUploadResult() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded()
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// The outcome. The outcomes of an upload's events have the id of the upload.
    public var outcome: Outcome? {
        get { self.message.hasOutcome ? Outcome(self.message.outcome) : nil }
        set {
            if let newValue { self.message.outcome = newValue.message } else { self.message.clearOutcome() }
        }
    }

    /// The numbers of an upload that was taken; nil for any other outcome.
    public var counts: SDKUploadCounts? {
        get { self.message.hasUpload ? SDKUploadCounts(self.message.upload) : nil }
        set {
            if let newValue { self.message.upload = newValue.message } else { self.message.clearUpload() }
        }
    }

    /// The id of the event that the outcome is about; nil if it is about the upload.
    public var eventID: String? { self.message.hasEvent ? self.message.event.id : nil }

    /// The type of that event, such as `ACTIVATE`; nil if the outcome is about the upload.
    public var eventType: String? { self.message.hasEvent ? self.message.event.eventType : nil }
}

/// The numbers of an upload that was taken.
public struct SDKUploadCounts: Hashable, Sendable {
    package var message: Flotilla_Sdkupload_V1_SdkUploadCounts

    package init(_ message: Flotilla_Sdkupload_V1_SdkUploadCounts) { self.message = message }

    /// The events that were taken.
    public var events: Int32 { self.message.events }
    /// The events without a device, a data source or a time.
    public var dropped: Int32 { self.message.dropped }
    /// The activations that went on to their report, or to be recognised as duplicates.
    public var activations: Int32 { self.message.activations }
}
