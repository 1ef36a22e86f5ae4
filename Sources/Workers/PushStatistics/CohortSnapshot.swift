package import WireFormats

/// The state of a cohort at one moment, as it is written to Kafka and read back.
///
/// The changelog holds snapshots with the devices that have changed. The topic of parts holds snapshots
/// without devices. A part is identified by its key, `source` and `term`; a higher `version` replaces a lower
/// one.
package struct CohortSnapshot: Hashable, Sendable {
    /// The message that was counted.
    package var key: CohortKey
    /// The campaign of the message; empty if no event named one.
    package var campaignID: String
    /// The number of the input partition that counted the events.
    package var source: Int32
    /// The time at which the partition began to count the message, in milliseconds since 1970.
    package var term: Int64
    /// A number that grows with each change within a term.
    package var version: Int64
    /// Whether the cohort is closed: only its number of late events can still grow.
    package var isClosed: Bool
    /// The counts at this moment.
    package var tally: Tally
    /// The server time of the earliest event, in milliseconds since 1970.
    package var firstSeen: Int64
    /// The server time of the latest event, in milliseconds since 1970.
    package var lastSeen: Int64
    /// The time from which the times of the devices are counted, in milliseconds since 1970.
    package var base: Int64
    /// The devices that have changed since the snapshot before. Empty in a part.
    package var devices: [DeviceRecord] = []

    /// Creates a snapshot without devices.
    package init(
        key: CohortKey,
        campaignID: String,
        source: Int32,
        term: Int64,
        version: Int64,
        isClosed: Bool,
        tally: Tally,
        firstSeen: Int64,
        lastSeen: Int64,
        base: Int64
    ) {
        self.key = key
        self.campaignID = campaignID
        self.source = source
        self.term = term
        self.version = version
        self.isClosed = isClosed
        self.tally = tally
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.base = base
    }

    /// Splits the snapshot into snapshots of at most `limit` devices, so that each fits into one record
    /// however many devices have changed. Restoring all of them, one after the other, has the effect of
    /// restoring this one.
    package func pieces(ofDevices limit: Int) -> [CohortSnapshot] {
        guard self.devices.count > limit else { return [self] }
        return stride(from: 0, to: self.devices.count, by: max(1, limit)).map { start in
            var piece = self
            piece.devices = Array(self.devices[start..<min(start + max(1, limit), self.devices.count)])
            return piece
        }
    }

    /// An upper bound of the bytes that a snapshot takes in a record without its devices: three names of 256
    /// bytes in its key and again in its value, 33 reasons of rejection, 32 currencies, a sketch of 600
    /// lags, and 336 hours of arrivals.
    package static let ownBytesLimit = 32 << 10
    /// An upper bound of the bytes that each device takes in a record.
    package static let deviceBytesLimit = StoredDevice.byteCount
}
