/// The bounds and the counts of the events of an upload, while they are read.
struct SDKEventTally {
    /// For each event that can be attributed, the range of its fields.
    private(set) var events: [Range<Int>] = []
    /// The number of events that do not say whose they are, from which app, and when they happened.
    private(set) var dropped = 0
    /// The number of fields that may still come.
    var fieldsLeft: Int
    /// The texts of the present event that are not empty, a bit for each field's number.
    var texts: UInt64 = 0
    /// The time of the present event.
    var timestamp: Int64 = 0

    private let eventsLimit: Int
    private var start = 0

    /// - Parameter bytes: The length of the upload. An event of the SDK has 300 bytes and more.
    init(_ limits: SDKUpload.Limits, bytes: Int) {
        self.eventsLimit = limits.events
        self.fieldsLeft = limits.fields
        self.events.reserveCapacity(min(limits.events, bytes / 256))
    }

    /// The bit of a field in `texts`.
    static func bit(of field: SDKEventField) -> UInt64 { 1 << UInt64(field.rawValue & 63) }

    /// Begins an event, whose fields stand from this position on.
    mutating func beginEvent(at position: Int) throws(SDKUploadFault) {
        guard self.events.count + self.dropped < self.eventsLimit else { throw .tooManyEvents }
        self.start = position
        self.texts = 0
        self.timestamp = 0
    }

    /// Ends an event.
    ///
    /// - Returns: The position at which the next event begins. An event that cannot be attributed leaves nothing.
    mutating func endEvent(at position: Int) -> Int {
        let needed = Self.bit(of: .deviceId) | Self.bit(of: .dataSourceId)
        guard self.texts & needed == needed, self.timestamp > 0 else {
            self.dropped += 1
            return self.start
        }
        self.events.append(self.start..<position)
        return position
    }
}
