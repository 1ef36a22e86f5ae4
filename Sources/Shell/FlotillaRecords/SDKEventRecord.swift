import WireFormats

/// One event of an SDK, from the topic that the setting `sdk.events_topic` names. Each event is there once.
public struct SDKEventRecord: Hashable, Sendable {
    /// The id of the event: the same whenever a phone sends it again. It is the record's key too.
    public var id: String
    /// The account in the target of the upload. The phone has chosen it.
    public var account: String
    /// The topic, the partition and the offset of the upload, with slashes between them.
    public var upload: String
    /// The time of the upload's record, in milliseconds since 1970; nil if it has none.
    public var receivedAtMS: Int64?
    /// The address of the phone; nil if the edge has told none.
    public var clientIP: String?
    /// The type, such as `ACTIVATE` or `PAGE`. A reader must expect more.
    public var type: String
    /// The event as one JSON object in the SDK's own names, whichever form the upload had.
    public var json: [UInt8]

    /// Reads a record of the topic.
    ///
    /// - Throws: `RecordError` if the value is absent, or no JSON object with the members of such a record.
    public init(decoding record: Record) throws(RecordError) {
        guard let value = record.value else {
            throw RecordError(Reason("value.tombstone", "The record has no value."))
        }
        guard let event = PublishedSDKEvent(value) else {
            throw RecordError(Reason("value.not_json", "The value is no event as the intake publishes it."))
        }
        self.id = event.id
        self.account = event.account
        self.upload = event.upload
        self.receivedAtMS = event.receivedAt
        self.clientIP = event.clientIP
        self.type = event.type
        self.json = event.json
    }
}
